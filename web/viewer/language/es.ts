/** Spanish texts of the interface. */
import type { Translation } from "./en.js";
import { formatCount } from "./locale.js";

const spanish: Translation = {
  advice: {
    fits: "Los chunks se ajustan a esta vista: la mayoría de los datos descodificados son visibles.",
    large: (each: string, times: number) =>
      `Los chunks de ${each} contienen ${times} veces los datos de esta vista: chunks menores dentro de shards podrían leerse por partes.`,
    many: (chunks: number, each: string) =>
      `${formatCount(chunks)} chunks de ${each} requieren una petición cada uno: chunks mayores o shards necesitarían menos.`,
    slices: (shape: string, depth: number, shown: number, flat: string, fewer: number, isSharded: boolean) =>
      `Los chunks de ${shape} contienen ${depth} cortes, de los que esta vista muestra ${shown === 1 ? "uno" : shown}: con chunks de ${flat} harían falta ${fewer} veces menos bytes por corte${isSharded ? "" : ", pero más peticiones para una pila, salvo con shards"}.`,
    unscaled: (elements: number) =>
      `Cada píxel abarca al menos ${elements} elementos, que deben leerse todos: de una imagen multiescala (OME-Zarr) bastaría una copia menor.`,
  },

  channels: {
    channel: (index: number) => `Canal ${index}`,
    primaries: ["Rojo", "Verde", "Azul", "Opacidad"],
  },

  code: {
    archive: "zarr-python no puede abrir un archivo zip por su dirección",
    files: "zarr-python no puede abrir archivos de otros formatos",
    order: "zarr-python no tiene ninguna opción para este orden de los elementos",
    pipeline: "zarr-python no puede abrir una cadena de URL",
    v1: "zarr-python ya no lee Zarr v1, así que no hay Python para ello",
  },

  collections: {
    auxiliary: (count: number) => `Coordenadas y arrays auxiliares (${formatCount(count)})`,
    fields: "Campos de visión",
    group: "Grupo",
    images: "Imágenes",
    labels: "Etiquetas",
    plots: "Diagramas de dispersión",
    titled: (title: string, count: number) => `${title} (${formatCount(count)})`,
    variables: "Variables",
  },

  complexParts: {
    imaginary: "Parte imaginaria",
    magnitude: "Módulo",
    phase: "Fase",
    real: "Parte real",
  },

  crumbs: {
    browse: "Explorar",
    gap: (count: number) => (count === 1 ? "1 grupo más" : `${formatCount(count)} grupos más`),
    list: "Enumerar los nodos de este grupo",
    listOthers: "Enumerar los demás nodos de este grupo",
    open: (name: string) => `Abrir ${name}`,
    title: "Ruta",
  },

  dialogs: {
    close: "Cerrar",
  },

  dock: {
    controls: "Controles",
    title: "Vista y array",
  },

  format: {
    byteString: (length: number) => `cadena de ${formatCount(length)} bytes`,
    bytes: "bytes",
    bytesInAll: (shown: string, length: number) => `${shown} … (${formatCount(length)} bytes)`,
    characters: (length: number) => `texto de ${formatCount(length)} caracteres`,
    inAll: (length: number) => `… (${formatCount(length)} en total)`,
    rawBytes: (length: number) => `${formatCount(length)} bytes sin formato`,
    since1970: (count: string) => `${count} desde 1970`,
    single: "un solo valor",
    units: "unidades",
  },

  help: {
    axes: [
      [".  ,", "Corte siguiente y anterior a lo largo del último eje usado"],
      ["Espacio", "Reproducir los cortes o parar"],
    ],
    axis: (name: string) => `Siguiente y anterior en ${name}`,
    axisKeys: (key: number) => `${key}, Mayús + ${key}`,
    labels: [["Clic, Intro", "Seleccionar una etiqueta; otra vez, anular la selección"]],
    more: [
      ["Ctrl + K, ⌘ K", "Buscar un control o una acción"],
      ["F", "Pantalla completa"],
      ["S", "Guardar como PNG"],
      ["?", "Estas teclas"],
    ],
    moving: [
      ["Ctrl + arrastrar", "Mover la imagen, con cualquier herramienta"],
      ["Rueda, pellizco, doble clic", "Zoom"],
      ["+  −", "Acercar y alejar"],
      ["0", "Ajustar el corte entero"],
      ["Mayús + arrastrar", "Ampliar un rectángulo, con cualquier herramienta"],
    ],
    points: [
      ["Flechas, Re Pág, Av Pág", "Ir al siguiente punto en su dirección"],
      ["Inicio, Fin", "Llevar el cursor al borde izquierdo o derecho"],
      ["Clic, Intro", "Seleccionar un punto; otra vez, anular la selección"],
      ["Esc", "Ocultar el cursor"],
    ],
    reading: [
      ["Flechas", "Mover el cursor y leer valores; 10 elementos con Mayús"],
      ["Re Pág, Av Pág", "Mover 16 filas"],
      ["Inicio, Fin", "Primera y última columna"],
      ["Clic, Intro, arrastrar la cruz", "Elegir el elemento de todos los paneles"],
      ["Esc", "Ocultar el cursor"],
    ],
    rows: [
      ["Flechas, Re Pág, Av Pág", "Moverse por las filas"],
      ["Ctrl + Inicio, Ctrl + Fin", "Primera y última fila"],
      ["Dígitos", "Ir a una fila por su número"],
      ["Clic, Intro, Espacio", "Seleccionar una fila; otra vez, anular la selección"],
    ],
    sections: {
      labels: "Etiquetas",
      more: "Más",
      moving: "Mover",
      points: "Puntos",
      reading: "Leer valores",
      rows: "Filas de la tabla",
      slices: "Cortes",
      tools: "Herramientas",
      volume: "Volumen",
    },
    tools: (isPlot: boolean) => [
      ["H", "Mover la imagen arrastrando"],
      ["Z", "Ampliar un rectángulo: arrastrar o hacer clic en dos esquinas"],
      [
        "P",
        isPlot
          ? "Fijar el cursor en un lugar"
          : "Elegir un elemento: su valor se sigue a través de los cortes",
      ],
      ["M", "Medir una distancia: arrastrar o hacer clic en dos puntos"],
      ["Intro", "Usar la herramienta en el cursor"],
      ["Esc", `Cancelar, borrar la medida o ${isPlot ? "el lugar elegido" : "el elemento elegido"}`],
    ],
    volume: [
      ["Flechas, arrastrar", "Girar"],
      ["Mayús + arrastrar, Mayús + flechas, dos dedos", "Mover"],
      ["Rueda, pellizco, +  −", "Zoom"],
      ["Una cara del cubo, X, Y, Z", "Mirar a lo largo de un eje; con Mayús, desde el otro extremo"],
      ["P", "Proyección paralela o en perspectiva"],
      ["0, doble clic", "Cámara predeterminada"],
      ["C", "Cortar en paralelo a la pantalla o quitar el corte"],
      ["[  ]", "Mover el corte"],
      ["Puntero", "Leer el valor"],
      ["Clic, Intro", "Elegir el elemento bajo el puntero o en el centro"],
      ["Esc", "Ocultar el valor"],
    ],
  },

  layerErrors: {
    direction: (axis: string | number) => `su eje ${axis} va en sentido contrario`,
    geometry: "tiene una geometría dañada",
    geometryType: (type: number) => `tiene geometrías del tipo desconocido ${type}`,
    missing: "el archivo no existe",
    nested: (depth: number) => `sus geometrías están anidadas en más de ${depth} niveles`,
    noAxis: (axis: string | number) => `no tiene el eje ${axis}`,
    noImage: "no contiene una única imagen",
    noInverse: "su transformación no tiene inversa",
    turned: "sus metadatos la giran fuera del plano de filas y columnas",
  },

  layerNotes: {
    failed: (name: string, reason: string) => `No se puede mostrar la capa ${name}: ${reason}.`,
    leftOut: (name: string, leftOut: number, count: number) =>
      `En la capa ${name} faltan ${formatCount(leftOut)} de ${formatCount(count)} objetos: sus coordenadas no son números finitos.`,
    retry: "Reintentar",
  },

  layers: {
    add: "Añadir",
    additive: "Aditivo",
    address: "Añadir una capa",
    addressHint: "URL de Zarr o GeoJSON",
    blending: "Modo de fusión",
    color: "Color",
    label: "Etiqueta",
    layer: (name: string) => `Capa ${name}`,
    lower: (name: string) => `Bajar ${name}`,
    none: "Ninguno",
    normal: "Normal",
    opacity: "Opacidad",
    pictureOpacity: "Opacidad de la imagen",
    raise: (name: string) => `Subir ${name}`,
    remove: "Quitar",
    size: "Tamaño, px",
  },

  main: {
    chunks: "Chunks leídos",
    controls: "Imagen",
    points: (count: number) => `${formatCount(count)} puntos`,
    progress: (chunks: number, total: number, bytes: string) =>
      `${formatCount(chunks)} de ${formatCount(total)} chunks, ${bytes}`,
    title: "Corte",
    waiting: (status: string) => `${status} Sin respuesta tras 10 s: la fuente es lenta o no responde.`,
  },

  maps: {
    areas: "Equal Earth: áreas reales",
    coasts: "Líneas de costa",
    degrees: "Longitud y latitud",
    elements: "Elementos",
    equalCells: "Como celdas iguales",
    globe: "Globo",
    graticule: "Meridianos y paralelos",
    map: "Mapa",
    mercator: "Mercator",
    meridian: "Longitud del centro, grados este",
    meridianHint: "como están guardadas",
    northPole: "Alrededor del polo norte",
    ofCoordinates: "En sus coordenadas",
    onMap: "En un mapa",
    parallel: "Latitud del centro, grados norte",
    parallelHint: "de los datos",
    southPole: "Alrededor del polo sur",
    stored: "Como están guardados",
    title: "Lugares y paneles",
  },

  nodes: {
    array: "array",
    "data frame": "tabla de datos",
    folder: "carpeta",
    group: "grupo",
    images: "imágenes",
    labels: "etiquetas",
    "multiscale image": "imagen multiescala",
    plate: "placa",
    scene: "escena",
    well: "pocillo",
  },

  panels: {
    auto: "auto",
    defaultMap: "Predeterminado",
    highest: "Valor máximo de la columna",
    lowest: "Valor mínimo de la columna",
    of: (name: string) => ` de ${name}`,
    outermost: "Sin el 1 % más extremo",
    to: "a",
    values: "Valores",
  },

  panes: {
    along: (axis: string, at: string) => `A lo largo de ${axis} en [${at}]`,
    depth: "Tercer eje de los paneles",
    none: "Ninguno",
    profile: "Perfil",
    profileAxis: "Línea bajo el puntero a lo largo de",
    volume: "Volumen junto a los paneles",
  },

  rows: {
    clear: "Anular la selección",
    colorMap: "Mapa de colores de la columna",
    counts: (rows: number, selected: number) =>
      `${formatCount(rows)} filas, ${formatCount(selected)} seleccionadas`,
    failed: (reason: string) => `No se pudieron leer las filas: ${reason}.`,
    grid: (rows: number, columns: number) => `${formatCount(rows)} filas de ${formatCount(columns)} columnas`,
    none: "Ninguna",
    reading: "Leyendo…",
    row: "Fila",
    size: "Tamaño de los puntos",
    sizeHint: "automático",
    title: "Tabla",
    unfold: "Filas",
  },

  sources: {
    array: "Array",
    arrays: (count: number, used: number) =>
      `El grupo tiene ${formatCount(count)} arrays, de los que aquí se enumeran los primeros ${used}.`,
    asStored: (problem: string) => `${problem} Los valores se muestran como están guardados.`,
    levels: (count: number, used: number) =>
      `La imagen tiene ${formatCount(count)} niveles, de los que se usan los primeros ${used}.`,
  },

  tabs: {
    image: "Imagen",
    layers: "Capas",
    axes: "Ejes",
    measure: "Medir",
    share: "Compartir",
  },

  tools: {
    find: "Buscar un control",
    findKey: "Ctrl+K",
    fit: "Ajustar",
    fitSlice: "Ajustar el corte entero",
    full: "Pantalla completa",
    help: "Teclas y gestos",
    in: "Acercar",
    measure: "Medir una distancia",
    noFull: "Esta página no puede ocupar la pantalla",
    out: "Alejar",
    pan: "Mover",
    pick: "Elegir un elemento",
    save: "Guardar como PNG",
    saved: (name: string) => `${name} se ha guardado`,
    title: "Herramienta",
    touch: "Mueva la imagen con dos dedos",
    wheel: (isApple: boolean) => `Mantenga ${isApple ? "⌘" : "Ctrl"} al girar la rueda para hacer zoom`,
    zoom: "Ampliar un rectángulo",
  },

  tree: {
    choose: "Elija un array para verlo o un grupo para abrirlo.",
    count: (members: number) => (members === 1 ? "1 miembro" : `${formatCount(members)} miembros`),
    empty: "No se encontraron miembros en este grupo.",
    find: "Buscar por nombre",
    findMembers: "Buscar miembros por nombre",
    folder: "Una carpeta de nodos Zarr",
    group: "Un grupo",
    groupOf: (kind: string) => `Un grupo: ${kind}`,
    looking: "Buscando…",
    members: "Miembros",
    membersOf: (name: string) => `Miembros de ${name}`,
    unreadable: "no se pudo leer",
  },

  unusable: {
    others: (names: string, others: number) => `${names} y ${formatCount(others)} más`,
    value: (setting: string, expected: string) => `${setting} no se puede usar; se esperaba ${expected}`,
  },

  values: {
    auto: "Automático",
    center: "Valor en el centro",
    centerHint: "0 si está dentro",
    continuous: "continuo",
    counts: (factor: number, unit: string | undefined) => `cuentas de ${factor} ${unit}`,
    countsSince: (factor: number, unit: string | undefined) => `cuentas de ${factor} ${unit} desde 1970`,
    field: "Campo",
    gamma: "Gamma",
    highest: "Valor máximo",
    interpolate: "Interpolar entre elementos",
    kinds: { sequential: "Secuencial", diverging: "Divergente", cyclic: "Cíclico" },
    labels: "Etiquetas (un color cada una)",
    linear: "Lineal",
    log: "Logarítmica",
    logCounts: "Frecuencias logarítmicas",
    lowest: "Valor mínimo",
    manual: "Manual",
    minmax: "Mínimo a máximo",
    missing: "Marcar los chunks no guardados",
    more: "Más ajustes de color",
    outside: "Marcar los valores fuera del intervalo",
    own: "Colores propios",
    part: "Parte",
    percentile: "Percentil 1 a 99",
    range: "Intervalo de valores",
    rawDates: "Valores sin procesar, sin fechas",
    rawNumbers: "Valores sin procesar, sin escala, desplazamiento ni valores ausentes",
    reversed: "Invertido",
    scale: "Escala de los colores",
    slices: "Buscar el intervalo de cada corte",
    steps: "Pasos de color",
    symlog: "Logarítmica a ambos lados de 0",
    theValues: "los valores",
    title: "Valores",
  },
};

export default spanish;
