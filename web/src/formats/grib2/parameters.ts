/** Names and units of common parameters, as in ecCodes: WMO code table 4.2, and the local table of NCEP. */

interface Parameter {
  readonly shortName: string;
  /** Name of the variable. */
  readonly name: string;
  readonly longName: string;
  readonly units: string;
}

/** The properties of a field that determine its parameter. */
export interface ParameterKey {
  readonly centre: number;
  /** Discipline, category and number. */
  readonly parameter: readonly [number, number, number];
  /** Types of the two surfaces, and the value of the first one. */
  readonly surfaces: readonly [number, number];
  readonly surfaceValue: number | undefined;
  /** Type of statistical processing; undefined for none. */
  readonly statistic: number | undefined;
}

/**
 * Rows of `discipline.category.number@surface.value.second.statistic|short name|name|long name|units`: conditions after "@"
 * may be empty, an empty name equals the short name. Rows of NCEP begin with "7:".
 */
const table = `
0.0.0|t||Temperature|K
0.0.0@103.2|2t|t2m|2 metre temperature|K
0.0.1|vtmp||Virtual temperature|K
0.0.2|pt||Potential temperature|K
0.0.4|tmax||Maximum temperature|K
0.0.5|tmin||Minimum temperature|K
0.0.6|dpt||Dew point temperature|K
0.0.6@103.2|2d|d2m|2 metre dewpoint temperature|K
0.0.10|lhtfl||Latent heat net flux|W m**-2
0.0.10@1...1|slhf||Surface latent heat flux|J m**-2
0.0.11@1...1|sshf||Surface sensible heat flux|J m**-2
0.0.13|wcf||Wind chill factor|K
0.0.17@1|skt||Skin temperature|K
0.0.21|aptmp||Apparent temperature|K
0.1.0|q||Specific humidity|kg kg**-1
0.1.0@103.2.255|2sh|sh2|2 metre specific humidity|kg kg**-1
0.1.1|r||Relative humidity|%
0.1.1@103.2|2r|r2|2 metre relative humidity|%
0.1.3|pwat||Precipitable water|kg m**-2
0.1.7|prate||Precipitation rate|kg m**-2 s**-1
0.1.9|ncpcp||Large scale precipitation (non-convective)|kg m**-2
0.1.10|acpcp||Convective precipitation (water)|kg m**-2
0.1.11|sde||Snow depth|m
0.1.13|sdwe||Water equivalent of accumulated snow depth (deprecated)|kg m**-2
0.1.15|snol||Large scale snow|kg m**-2
0.1.16|snom||Snow melt|kg m**-2
0.1.19|ptype||Precipitation type|code table (4.201)
0.1.22|clwmr||Cloud mixing ratio|kg kg**-1
0.1.23|icmr||Ice water mixing ratio|kg kg**-1
0.1.24|rwmr||Rain mixing ratio|kg kg**-1
0.1.25|snmr||Snow mixing ratio|kg kg**-1
0.1.32|grle||Graupel (snow pellets)|kg kg**-1
0.1.33|crain||Categorical rain|(Code table 4.222)
0.1.34|cfrzr||Categorical freezing rain|(Code table 4.222)
0.1.35|cicep||Categorical ice pellets|(Code table 4.222)
0.1.36|csnow||Categorical snow|(Code table 4.222)
0.1.37|cprat||Convective precipitation rate|kg m**-2 s**-1
0.1.37@1...1|cp||Convective precipitation|kg m**-2
0.1.39|cpofp||Percent frozen precipitation|%
0.1.42|snowc||Snow cover|%
0.1.51|tcwat||Total column water (Vertically integrated total water (vapour + cloud water/ice))|kg m**-2
0.1.51@1..8|tcw||Total column water|kg m**-2
0.1.52@1...1|tp||Total Precipitation|kg m**-2
0.1.53@1...1|sf||Snow Fall water equivalent|kg m**-2
0.1.54@1...1|lsp||large scale precipitation|kg m**-2
0.1.60|sd||Snow depth water equivalent|kg m**-2
0.1.61|rsn||Snow density|kg m**-3
0.1.64@1..8|tcwv||Total column vertically-integrated water vapour|kg m**-2
0.1.65|rprate||Rain precipitation rate|kg m**-2 s**-1
0.1.66|sprate||Snow precipitation rate|kg m**-2 s**-1
0.1.67|fprate||Freezing rain precipitation rate|kg m**-2 s**-1
0.1.69@1..8|tclw||Total column cloud liquid water|kg m**-2
0.1.70@1..8|tciw||Total column cloud ice water|kg m**-2
0.1.79@1...1|eva||Evaporation|kg m**-2
0.1.83|clwc||Specific cloud liquid water content|kg kg**-1
0.1.84|ciwc||Specific cloud ice water content|kg kg**-1
0.1.85|crwc||Specific rain water content|kg kg**-1
0.1.86|cswc||Specific snow water content|kg kg**-1
0.2.0|wdir||Wind direction|Degree true
0.2.1|ws||Wind speed|m s**-1
0.2.1@103.10|10si|si10|10 metre wind speed|m s**-1
0.2.2|u||U component of wind|m s**-1
0.2.2@103.100|100u|u100|100 metre U wind component|m s**-1
0.2.2@103.10|10u|u10|10 metre U wind component|m s**-1
0.2.3|v||V component of wind|m s**-1
0.2.3@103.100|100v|v100|100 metre V wind component|m s**-1
0.2.3@103.10|10v|v10|10 metre V wind component|m s**-1
0.2.4|strf||Stream function|m**2 s**-1
0.2.5|vp||Velocity potential|m**2 s**-1
0.2.8|w||Vertical velocity|Pa s**-1
0.2.9|wz||Geometric vertical velocity|m s**-1
0.2.10|absv||Absolute vorticity|s**-1
0.2.12|vo||Vorticity (relative)|s**-1
0.2.13|d||Divergence|s**-1
0.2.14|pv||Potential vorticity|K m**2 kg**-1 s**-1
0.2.17|uflx||Momentum flux, u component|N m**-2
0.2.18|vflx||Momentum flux, v component|N m**-2
0.2.21|maxgust||Maximum wind speed|m s**-1
0.2.22|gust||Wind speed (gust)|m s**-1
0.2.22@103.10|i10fg||Instantaneous 10 metre wind gust|m s**-1
0.2.30|fricv||Frictional velocity|m s**-1
0.2.32|etadot||Eta-coordinate vertical velocity|s**-1
0.2.37@1...1|nsss||Northward turbulent surface stress|N m**-2 s
0.2.38@1...1|ewss||Eastward turbulent surface stress|N m**-2 s
0.3.0|pres||Pressure|Pa
0.3.0@1|sp||Surface pressure|Pa
0.3.0@101|msl||Mean sea level pressure|Pa
0.3.1|prmsl||Pressure reduced to MSL|Pa
0.3.3|icaht||ICAO Standard Atmosphere reference height|m
0.3.4|z||Geopotential|m**2 s**-2
0.3.5|gh||Geopotential height|gpm
0.3.5@1|orog||Orography|m
0.3.6|h||Geometrical height|m
0.3.9|gpa||Geopotential height anomaly|gpm
0.3.18|blh||Boundary layer height|m
0.4.1@8...1|tsr||Top net short-wave (solar) radiation|J m**-2
0.4.7|dswrf||Downward short-wave radiation flux|W m**-2
0.4.7@1...1|ssrd||Surface short-wave (solar) radiation downwards|J m**-2
0.4.7@8...1|tisr||TOA incident solar radiation|J m**-2
0.4.8|uswrf||Upward short-wave radiation flux|W m**-2
0.4.9|nswrf||Net short wave radiation flux|W m**-2
0.4.9@1...1|ssr||Surface net short-wave (solar) radiation|J m**-2
0.4.11|nswrfcs||Net short-wave radiation flux, clear sky|W m**-2
0.4.11@8...1|tsrc||Top net solar radiation, clear sky|J m**-2
0.4.11@1...1|ssrc||Surface net short-wave (solar) radiation, clear sky|J m**-2
0.4.12|dwuvr||Downward UV radiation|W m**-2
0.4.12@1...1|uvb||Downward UV radiation at the surface|J m**-2
0.5.3|dlwrf||Downward long-wave radiation flux|W m**-2
0.5.3@1...1|strd||Surface long-wave (thermal) radiation downwards|J m**-2
0.5.4|ulwrf||Upward long-wave radiation flux|W m**-2
0.5.5|nlwrf||Net long wave radiation flux|W m**-2
0.5.5@1...1|str||Surface net long-wave (thermal) radiation|J m**-2
0.5.5@8...1|ttr||Top net long-wave (thermal) radiation|J m**-2
0.5.6|nlwrcs||Net long-wave radiation flux, clear sky|W m**-2
0.5.6@8...1|ttrc||Top net thermal radiation, clear sky|J m**-2
0.5.6@1...1|strc||Surface net long-wave (thermal) radiation, clear sky|J m**-2
0.6.1@1..8|tcc||Total Cloud Cover|%
0.6.3|lcc||Low cloud cover|%
0.6.4|mcc||Medium cloud cover|%
0.6.5|hcc||High cloud cover|%
0.6.6|cwat||Cloud water|kg m**-2
0.6.22|ccl||Cloud cover|%
0.6.24@1...1|sund||Sunshine duration|s
0.6.32|cc||Fraction of cloud cover|(0 - 1)
0.7.0|pli||Parcel lifted index (to 500 hPa)|K
0.7.1|bli||Best lifted index (to 500 hPa)|K
0.7.2|kx||K index|K
0.7.4|totalx||Total totals index|K
0.7.6@1..8|cape||Convective available potential energy|J kg**-1
0.7.7@1..8|cin||Convective inhibition|J kg**-1
0.7.8|hlcy||Storm relative helicity|m**2 s**-2
0.7.10|lftx||Surface lifted index|K
0.7.11|4lftx|lftx4|Best (4-layer) lifted index|K
0.14.0|tozne||Total ozone|DU
0.14.1|o3||Ozone mass mixing ratio|kg kg**-1
0.15.1|bref||Base reflectivity|dB
0.15.3|veril||Vertically-integrated liquid|kg m**-1
0.15.4|lmaxbr||Layer-maximum base reflectivity|dB
0.19.0|vis||Visibility|m
0.19.1|al||Albedo|%
0.19.11|tke||Turbulent kinetic energy|J kg**-1
2.0.0@1|lsm||Land-sea mask|(0 - 1)
2.0.1|sr||Surface roughness|m
2.0.2|st||Soil temperature|K
2.0.3|ssw||Soil moisture content|kg m**-2
2.0.4|veg||Vegetation|%
2.0.5|watr||Water runoff|kg m**-2
2.0.9|soilw||Volumetric soil moisture content|Proportion
2.0.10|gflux||Ground heat flux|W m**-2
2.0.13|cnwat||Plant canopy surface water|kg m**-2
2.0.22|sm||Soil moisture|kg m**-3
2.0.25|vsw||Volumetric soil moisture|m**3 m**-3
2.0.33|ro||Water runoff and drainage|kg m**-2
2.0.34|sro||Surface runoff|kg m**-2
2.0.38|vsi||Volumetric soil ice|m**3 m**-3
2.0.42|rod||Water runoff and drainage rate|kg m**-2 s**-1
2.0.42@...1|rowe||Runoff water equivalent|kg m**-2
2.3.0|slt||Soil type|
2.3.18|sot||Soil temperature|K
10.0.3|swh||Significant height of combined wind waves and swell|m
10.0.4|wvdir||Direction of wind waves|Degree true
10.0.5|shww||Significant height of wind waves|m
10.0.8|swell||Significant height of swell waves|m
10.0.11|perpw||Primary wave mean period|s
10.1.2|ucurr||U-component of current |m s**-1
10.1.2@160|ocu|uoe|Eastward sea water velocity|m s**-1
10.1.3|vcurr||V-component of current |m s**-1
10.1.3@160|ocv|von|Northward sea water velocity|m s**-1
10.2.0@1|ci|siconc|Sea ice area fraction|(0 - 1)
10.3.0@1|sst||Sea surface temperature|K
7:0.1.8|tp||Total Precipitation|kg m**-2
7:0.1.192|crain||Categorical rain|(Code table 4.222)
7:0.1.193|cfrzr||Categorical freezing rain|(Code table 4.222)
7:0.1.194|cicep||Categorical ice pellets|(Code table 4.222)
7:0.1.195|csnow||Categorical snow|(Code table 4.222)
7:0.1.196|cprat||Convective precipitation rate|kg m**-2 s**-1
7:0.1.199|pevap||Potential evaporation|kg m**-2
7:0.1.200|pevpr||Potential evaporation rate|W m**-2
7:0.1.201|snowc||Snow cover|%
7:0.2.192|vwsh||Vertical speed shear|s**-1
7:0.2.194|ustm||U-component storm motion|m s**-1
7:0.2.195|vstm||V-component storm motion|m s**-1
7:0.2.197|fricv||Frictional velocity|m s**-1
7:0.3.192|mslet||MSLP (Eta model reduction)|Pa
7:0.3.193|5wavh||5-wave geopotential height|gpm
7:0.3.198|mslma||MSLP (MAPS System Reduction)|Pa
7:0.3.200|plpl||Pressure of level from which parcel was lifted|Pa
7:0.4.192|dswrf||Downward short-wave radiation flux|W m**-2
7:0.4.193|uswrf||Upward short-wave radiation flux|W m**-2
7:0.5.192|dlwrf||Downward long-wave radiation flux|W m**-2
7:0.5.193|ulwrf||Upward long-wave radiation flux|W m**-2
7:0.6.192|cdlyr||Non-convective cloud cover|%
7:0.6.201|SUNSD||Sunshine Duration|s
7:0.7.192|lftx||Surface lifted index|K
7:0.7.193|4lftx||Best (4-layer) lifted index|K
7:0.7.198|lai||Leaf Area Index|
7:0.14.192|o3mr||Ozone mixing ratio|kg kg**-1
7:0.16.195|refd||Derived radar reflectivity|dB
7:0.16.196|refc||Maximum/Composite radar reflectivity|dB
7:0.17.192|ltng||Lightning|
7:2.0.192|soilw||Volumetric soil moisture content|Proportion
7:2.0.193|gflux||Ground heat flux|W m**-2
7:2.0.201|wilt||Wilting Point|Fraction
`;

interface Row extends Parameter {
  readonly conditions: readonly string[];
}

let rows: Map<string, Row[]> | undefined;

function readTable(): Map<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const line of table.trim().split("\n")) {
    const [key = "", shortName = "", name, longName = "", units = ""] = line.split("|");
    const [parameter = "", condition] = key.split("@");
    const row = {
      shortName,
      name: name || shortName,
      longName,
      units: units || "1",
      conditions: condition?.split(".") ?? [],
    };
    found.set(parameter, [...(found.get(parameter) ?? []), row]);
  }
  return found;
}

/** Returns the parameter of a field: of several rows the one with the most conditions; undefined for unknown ones. */
export function findParameter(field: ParameterKey): Parameter | undefined {
  rows ??= readTable();
  const key = field.parameter.join(".");
  const own = [field.surfaces[0], field.surfaceValue, field.surfaces[1], field.statistic].map(String);
  const candidates = [...(rows.get(`${field.centre}:${key}`) ?? []), ...(rows.get(key) ?? [])];
  const count = ({ conditions }: Row) => conditions.filter(Boolean).length;
  return candidates
    .filter(({ conditions }) => conditions.every((text, i) => text === "" || text === own[i]))
    .reduce<Row | undefined>((best, row) => (best && count(best) >= count(row) ? best : row), undefined);
}
