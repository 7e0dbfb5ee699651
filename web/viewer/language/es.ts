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

  axes: {
    columns: "Columnas",
    first: (axis: string) => `Primer índice mostrado a lo largo de ${axis}`,
    horizontal: "Eje horizontal",
    last: (axis: string) => `Último índice mostrado a lo largo de ${axis}`,
    part: "Parte mostrada",
    rows: "Filas",
    swap: "Intercambiar filas y columnas",
    title: "Ejes y parte mostrada",
    vertical: "Eje vertical",
  },

  channelPanel: {
    colour: (name: string) => `Color de ${name}`,
    common: "El mismo intervalo para todos los canales",
    more: "Más ajustes de los canales",
    name: (number: number, label: string) => `canal ${number}, ${label}`,
    settings: (name: string) => `Límites y gamma de ${name}`,
    show: (name: string) => `Mostrar ${name}`,
    title: "Canales",
    together: "Todos los canales en una imagen",
    which: (name: string) => `Qué canal es ${name}`,
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

  columns: {
    cancel: "Cancelar",
    failed: (name: string, why: string) => `No se pudo leer la columna ${name}: ${why}.`,
    progress: (name: string, percent: number, size: string) => `Leyendo ${name}: ${percent} % de ${size}.`,
    read: (size: string) => `Leer ${size}`,
    unknown: (name: string) =>
      `No se puede mostrar la columna ${name}: no existe o es de una clase desconocida.`,
    unread: (name: string, why?: string) => `No se ha leído ${name}${why === undefined ? "" : `: ${why}`}.`,
  },

  commands: {
    find: "Buscar un control o una acción",
    list: "Controles y acciones",
    title: "Comandos",
  },

  complexParts: {
    imaginary: "Parte imaginaria",
    magnitude: "Módulo",
    phase: "Fase",
    real: "Parte real",
  },

  compose: {
    unlisted:
      "No se encontraron imágenes ni etiquetas de estos SpatialData: el servidor no enumera las carpetas y los metadatos no las nombran. Abra un elemento por su ruta, como images/NAME, o escriba metadatos consolidados con sdata.write_consolidated_metadata().",
  },

  compute: {
    cancel: "Cancelar",
    formula: "Fórmula con data y otras variables",
    label: (kind: string, name: string, over: string) => `${kind} de ${name} (${over})`,
    noAxis: (name: string, names: readonly (string | null)[]) =>
      `No hay ningún eje "${name}": los ejes son ${names.join(", ")}`,
    noVariable: (name: string) => `No hay ninguna variable "${name}" junto a la abierta, que se llama data`,
    notSlice: (text: string) => `"${text}" no es un corte: escriba data[time=5], con un número desde 0`,
    operation: "Operación",
    operations: {
      mean: "Media",
      min: "Mínimo",
      max: "Máximo",
      std: "Desviación típica",
      anomaly: "Anomalía (diferencia respecto a la media)",
      month: "Anomalía respecto a la media de cada mes",
    },
    original: "Mostrar la variable original",
    over: "Sobre el eje",
    partial: "La imagen muestra una parte del resultado hasta que se haya calculado todo.",
    progress: (name: string, share: number) => `Calculando ${name}: ${Math.floor(100 * share)} %`,
    run: "Calcular",
    runFormula: "Calcular la fórmula",
    singleNumber: "El resultado es un solo número: elija un array de dos ejes o más",
    syntax: (text: string) =>
      `"${text}" no se puede calcular: escriba mean:, min:, max: o std: y el nombre de un eje, anomaly:time o anomaly:time.month, o expr: y una fórmula con data y otras variables`,
    title: "Calcular",
  },

  cost: {
    decoded: "Descodificado",
    failed: (reason: string) => `La medición falló: ${reason}.`,
    inChunks: (bytes: string, chunks: string, count: number) =>
      `${bytes} en ${chunks} ${count === 1 ? "chunk" : "chunks"}`,
    inView: "En la vista",
    measure: "Medir la lectura",
    measured: (cost: {
      requests: number;
      bytes: string;
      decoded: string;
      time: string;
      decodeTime: string;
      isStoreSlow: boolean;
    }) => {
      const asked = `${cost.requests} ${cost.requests === 1 ? "petición devolvió" : "peticiones devolvieron"} ${cost.bytes}`;
      const slow = cost.isStoreSlow
        ? "El almacén tardó más que la descodificación."
        : "La descodificación tardó más que el almacén.";
      return `El centro de la vista: ${asked} para ${cost.decoded}; ${cost.time} en total, incluidos ${cost.decodeTime} de descodificación en un hilo. ${slow}`;
    },
    measuring: "Midiendo…",
    title: "Lectura",
    visible: "Visible",
  },

  crumbs: {
    browse: "Explorar",
    gap: (count: number) => (count === 1 ? "1 grupo más" : `${formatCount(count)} grupos más`),
    list: "Enumerar los nodos de este grupo",
    listOthers: "Enumerar los demás nodos de este grupo",
    open: (name: string) => `Abrir ${name}`,
    title: "Ruta",
  },

  curve: {
    default: "Predeterminada",
    defaultOf: (channel: string) => `Opacidad predeterminada${channel}`,
    help: "Un doble clic añade un punto o lo quita; las flechas mueven un punto, Supr lo quita",
    point: (number: number, channel: string, percent: number, opacity: string) =>
      `Punto ${number}${channel}, ${percent} % del intervalo: opacidad ${opacity}`,
    title: "Opacidad según el valor",
    titleOf: (channel: string) => `Opacidad según el valor${channel}`,
  },

  dialogs: {
    close: "Cerrar",
  },

  dock: {
    controls: "Controles",
    title: "Vista y array",
  },

  drop: {
    failed: (name: string, why = "no se pudo leer") => `No se puede abrir ${name}: ${why}.`,
    geoJson: (name: string) =>
      `${name} se dibuja sobre una imagen: abra primero la imagen y añada después la dirección de ${name} en el panel Capas, o suelte el archivo en el panel Regiones para medir sus formas.`,
    loose: (name: string) => `${name} es un documento de un nodo, sin su carpeta.`,
    part: (name: string) => `${name} es una parte de un nodo Zarr: suelte la carpeta en la que está.`,
    tooLarge: (name: string) => `${name} es demasiado grande para un archivo de referencias.`,
  },

  errorAdvice: {
    byte: "En el byte",
    chunk: "Chunk",
    codec: "Códec",
    codecs:
      "Los códecs del array no pueden descodificar los bytes guardados: el chunk puede estar truncado, dañado o escrito con ajustes distintos de los de los metadatos.",
    cors: (origin: string) =>
      `Un servidor distinto del de esta página debe permitirlo (CORS): sus respuestas necesitan la cabecera Access-Control-Allow-Origin: *${origin === "" ? "" : ` (o ${origin})`}.`,
    details: "Detalles",
    error: "Error",
    expired:
      "El servidor deniega el acceso: los datos pueden ser privados o una dirección firmada puede haber caducado.",
    feature: "La dirección es correcta. Un programa que conozca esta función puede leer el array.",
    file: "El archivo puede estar truncado, dañado o escribiéndose todavía.",
    fineAddress: "La dirección es correcta.",
    incomplete: "El servidor respondió, pero los datos guardados están incompletos.",
    invalid: "El documento de metadatos existe, pero no se ajusta a la especificación de Zarr.",
    missing: "Algunos almacenes de objetos responden 403 si faltan objetos.",
    mixed:
      "Esta página llegó por https, así que el navegador se niega a leer de una dirección http: pruebe con https://.",
    others: "Los demás chunks se pueden ver.",
    place:
      "La dirección debe ser la de un archivo o la de la carpeta que contiene los metadatos del array (meta en Zarr v1) junto a los chunks.",
    policy:
      "La política de la página debe permitir WebAssembly ('wasm-unsafe-eval'), y el archivo .wasm debe estar en la URL que pide la página.",
    question: "¿Es correcta la dirección y responde su servidor?",
    ranges:
      "Para partes de archivos, sus respuestas a OPTIONS necesitan Access-Control-Allow-Headers: Range, y todas las respuestas Access-Control-Expose-Headers: Content-Range, ETag.",
    requests: "El servidor limita el número de peticiones. Espere un momento y vuelva a intentarlo.",
    server: "El servidor no sirve bien esta dirección.",
    simd: "El navegador debe admitir WebAssembly SIMD, como todos los actuales.",
    smaller: "Si la selección supera el límite, vea una parte menor.",
    smallerChunks: "Los chunks se leen enteros; se puede ver una copia del array con chunks menores.",
    source: "Fuente",
    spelling:
      "Compruebe la ortografía y las mayúsculas. Una dirección de otro servidor empieza por https://.",
    status: "Estado HTTP",
    temporary: "El servidor falló. El error puede ser temporal: vuelva a intentarlo.",
    together: "Todos los archivos de un conjunto deben estar en una carpeta o soltarse juntos.",
    usage: "Introduzca la dirección de un array Zarr, como https://example.org/data/array.zarr.",
    webPage:
      "El servidor envió una página web en lugar de datos: compruebe la dirección y si el servidor exige iniciar sesión.",
    zip: "El archivo puede estar truncado o dañado, o no ser un archivo zip.",
  },

  errors: {
    archive: "No se puede leer el archivo comprimido",
    chunk: "No se pudo leer un chunk",
    damagedChunk: (name: string) => `El chunk ${name} está dañado`,
    damagedFile: "El archivo está dañado",
    titles: {
      NotFound: "Aquí no hay ningún array Zarr",
      InvalidMetadata: "Los metadatos del array no son válidos",
      UnknownCodec: "El array usa un códec desconocido",
      Unsupported: "El array usa una función no admitida",
      CorruptChunk: "Un chunk está dañado",
      InvalidSelection: "La vista no encaja en el array",
      InvalidArgument: "La fuente no se puede usar",
      Network: "No se pudo leer la fuente",
      LimitExceeded: "Se ha superado un límite",
      EngineFailed: "No se pudo iniciar el descodificador WebAssembly",
      FutureVersion: "Los datos usan una versión más nueva del formato",
      NotAllowed: "No se permite el acceso a los datos",
      SourceChanged: "Un archivo de la fuente ha cambiado",
    },
    unknown: "Algo salió mal",
    unreadChunk: (name: string) => `No se pudo leer el chunk ${name}`,
    unsupportedFile: "El archivo no se puede mostrar",
    unwritten: "No se pudo escribir en el almacén",
  },

  facts: {
    attributes: (count: string) => `Atributos (${count})`,
    chunkCount: (count: string, bytes: string | undefined) =>
      bytes === undefined ? count : `${count}, de ${bytes} cada uno`,
    chunkShape: "Forma de los chunks",
    chunks: "Chunks",
    codecs: "Códecs",
    dimensions: "Dimensiones",
    dtype: "Tipo de datos",
    fillValue: "Valor de relleno",
    format: "Formato Zarr",
    longer: "Los atributos son más largos de lo que se muestra aquí.",
    noFill: "ninguno (se lee como ceros)",
    shape: "Forma",
    shardShape: "Forma de los shards",
    size: "Tamaño",
    title: "Datos del array",
  },

  features: {
    embeddings: "Representaciones",
    values: (count: number) => `${formatCount(count)} valores`,
  },

  figure: {
    axis: "Eje",
    cancel: "Cancelar",
    cancelled: "Cancelado",
    copied: (name: string) => `${name} está en el portapapeles`,
    copy: "Copiar",
    drawing: "Dibujando…",
    failed: (reason: string) => `No se pudo crear la figura: ${reason}.`,
    format: "Formato",
    heading: "Figura",
    height: "Altura",
    noClipboard: "esta página no puede usar el portapapeles; guarde la figura",
    noRecorder: (format: string) => `Este navegador no puede grabar vídeos ${format}.`,
    ownHeight: "la del contenido",
    progress: (done: number, total: number, perSecond: string) =>
      `Grabados ${done} de ${total} cortes, ${perSecond} por segundo`,
    rate: "Cortes por segundo",
    recorded: "Cortes grabados",
    resolution: "Resolución, píxeles por pulgada",
    save: "Guardar",
    scaleBar: "Barra de escala",
    size: (width: number, height: number | undefined) =>
      height === undefined ? `${width} píxeles de ancho` : `${width} × ${height} píxeles`,
    slow: "la lectura de los datos tarda demasiado",
    title: "Título",
    unit: "Unidad",
    units: { mm: "mm", in: "pulgadas", px: "píxeles CSS" },
    unreadable: "no se pueden leer sus datos",
    video: (format: string) => `Vídeo (${format})`,
    width: "Anchura",
    wrongRate: "Un segundo debe tener de 1 a 60 cortes.",
    wrongResolution: (least: number, most: number) =>
      `La resolución debe ser de ${least} a ${most} píxeles por pulgada.`,
    wrongSize: (least: number, most: number, unit: string) =>
      `La anchura y la altura deben ser de ${least} a ${most} ${unit}.`,
  },

  format: {
    axis: (number: number) => `eje ${number}`,
    axisNamed: (name: string, number: number) => `${name} (eje ${number})`,
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

  gallery: {
    fields: {
      microscopy: "Microscopía",
      "single cells": "Células individuales",
      "weather and climate": "Tiempo y clima",
    },
    publicData: "Datos públicos",
    publicDataNote:
      "Datos de otros, por su dirección: pueden haberse trasladado, y sus servidores quizá no dejen que esta página los lea.",
    smallArrays: "Arrays pequeños",
    testData: "Datos de prueba",
    welcome:
      "Introduzca la dirección de un array o grupo Zarr, o de un archivo NetCDF, HDF5, TIFF o FITS, o suelte aquí una carpeta o archivos. Otros servidores deben permitir que las páginas lean de ellos (CORS); los archivos de este equipo no se envían a ninguna parte.",
  },

  genes: {
    descends: (path: string) => `/${path} no es ascendente`,
    first: "Gen",
    layer: "Capa de la matriz",
    lengths: (one: string, other: string) => `/${one} y /${other} tienen longitudes distintas`,
    log: "Logaritmo de 1 + valor",
    missing: (name: string) => `no tiene el gen ${name}`,
    more: "Segundo gen, capa y logaritmo",
    noColumn: (path: string, column: number) => `la matriz /${path} no tiene la columna ${column}`,
    noMatrix: (path: string) => `/${path} no es una matriz`,
    noMatrixOf: (path: string, rows: string) => `/${path} no es una matriz de ${rows} filas`,
    noNames: "su tabla no tiene nombres de genes",
    outside: (path: string, rows: string) => `/${path} tiene un índice fuera de las ${rows} filas`,
    placeholder: "nombre",
    second: "Segundo gen",
    spread: (size: string) =>
      `sus valores están repartidos por hasta ${size}, porque la matriz está guardada por células`,
    uncovered: (path: string, data: string) => `/${path} no abarca los elementos de /${data}`,
    unknown: (name: string) => `No hay ningún gen ${name}.`,
    unreadable: "No se pudieron leer los nombres de los genes.",
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
      ["V", "Proyección paralela o en perspectiva"],
      ["0, doble clic", "Cámara predeterminada"],
      ["C", "Cortar en paralelo a la pantalla o quitar el corte"],
      ["[  ]", "Mover el corte"],
      ["Puntero", "Leer el valor"],
      ["Clic, Intro", "Usar la herramienta en el elemento bajo el puntero o en el centro"],
      ["H", "Herramienta: elegir el elemento y su etiqueta"],
      ["P", "Herramienta: fijar el cursor en el elemento"],
      ["M", "Herramienta: medir entre dos elementos"],
      ["Esc", "Borrar la medida, soltar el cursor u ocultar el valor"],
    ],
  },

  histogram: {
    all: (count: string, interval: string) => `Todos los ${count} del corte: ${interval}`,
    count: (count: string, hasMissing: boolean) => `${count} ${hasMissing ? "elementos" : "valores"}`,
    interval: (low: string, high: string) => `${low} a ${high}`,
    limits: [
      (name: string) => `Límite inferior de ${name}`,
      (name: string) => `Límite superior de ${name}`,
    ] as const,
    of: (name: string) => `Histograma de ${name}`,
    some: (count: string, interval: string) =>
      `${count} leídos, no todos los del corte; el 98 % de ellos, de ${interval}`,
  },

  invalidLayer: {
    arrayElements: (path: string, most: string) => `/${path} tiene más de ${most} elementos`,
    arrayNumbers: (path: string) => `/${path} no contiene números`,
    bytes: (most: number) => `sus archivos tienen más de ${formatCount(most)} bytes`,
    columnLength: "una columna tiene otra longitud",
    coordinates: (feature: number) => `el objeto ${feature} tiene coordenadas que no son una lista`,
    deep: (most: number) => `sus geometrías están anidadas en más de ${most} niveles`,
    elements: (most: string) => `tiene más de ${most} elementos`,
    features: (most: string) => `tiene más de ${most} objetos`,
    geometry: (feature: number) => `el objeto ${feature} tiene una geometría de tipo desconocido`,
    infinite: "sus coordenadas no son números finitos",
    list: (path: string) => `/${path} no es una lista`,
    noFeatures: "sus objetos no son una lista",
    noFile: (name: string) => `${name} no existe`,
    noGeoJson: "no es GeoJSON: se esperaba una FeatureCollection",
    noIndex: "no tiene índice",
    noJson: (why: string) => `no es JSON: ${why}`,
    noNumbers: "sus columnas x e y no son números",
    noPairs: (name: string) => `${name} no tiene dos o tres columnas`,
    noPlaces: "sus puntos no tienen columnas x e y",
    noPositions: "no tiene posiciones obsm/spatial",
    noWkb: (column: string) => `su columna ${column} falta o no está en WKB`,
    offsets: "los desplazamientos de sus polígonos no son ascendentes",
    rows: (most: string) => `tiene más de ${most} filas`,
    shape: (path: string, shape: string) => `/${path} tiene la forma ${shape}`,
    shapes: "sus formas son de un tipo desconocido",
    vertices: (most: string) => `tiene más de ${most} vértices`,
  },

  labels: {
    hidden: "Etiquetas ocultas",
    none: "Ninguna",
    opacity: "Opacidad de las etiquetas",
    over: "Sobre la imagen",
    placeholder: "ninguna",
    selected: "Etiquetas seleccionadas",
    title: "Etiquetas",
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

  legend: {
    above: "Valores por encima del intervalo",
    below: "Valores por debajo del intervalo",
    channels: "Canales",
    empty: "(vacío)",
    infinite: (count: number) =>
      count === 1 ? "1 elemento es infinito" : `${formatCount(count)} elementos son infinitos`,
    labels: "Cada etiqueta tiene su propio color; 0 es el fondo",
    layers: "Colores de las capas",
    log: "Escala logarítmica",
    missing: (count: number) =>
      count === 1 ? "Falta 1 elemento (a cuadros)" : `Faltan ${formatCount(count)} elementos (a cuadros)`,
    more: (count: string) => `y ${count} más`,
    noValue: "sin valor",
    notNumbers: (count: number) =>
      count === 1
        ? "1 elemento no es un número (a cuadros)"
        : `${formatCount(count)} elementos no son números (a cuadros)`,
    notStored: "El chunk no está guardado",
    own: "Colores propios",
    sampled: (colormap: string, slices: number | undefined, all: string) =>
      `${colormap}; un intervalo para todos los cortes, de ${slices === undefined ? `los ${all}` : `${slices} de ${all}`}`,
    symlog: "Escala logarítmica simétrica",
  },

  listing: {
    more: (count: number) => `El servidor enumera ${formatCount(count)} carpetas más, que no se comprobaron.`,
    tried: (count: number) =>
      `El servidor no enumera las carpetas y no hay metadatos consolidados: solo se ${count === 1 ? "probó un nombre" : `probaron ${count} nombres`} de uso común; puede haber otros.`,
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
    cell: (id: number) => `celda ${id}`,
    coasts: "Líneas de costa",
    degrees: "Longitud y latitud",
    east: "E",
    elements: "Elementos",
    equalCells: "Como celdas iguales",
    globe: "Globo",
    graticule: "Meridianos y paralelos",
    map: "Mapa",
    mercator: "Mercator",
    meridian: "Longitud del centro, grados este",
    meridianHint: "como están guardadas",
    noPosition: "sin posición",
    noTime: "sin tiempo",
    north: "N",
    northPole: "Alrededor del polo norte",
    ofCoordinates: "En sus coordenadas",
    onMap: "En un mapa",
    parallel: "Latitud del centro, grados norte",
    parallelHint: "de los datos",
    since1970: (milliseconds: string) => `${milliseconds} ms desde 1970`,
    south: "S",
    southPole: "Alrededor del polo sur",
    stored: "Como están guardados",
    title: "Lugares y paneles",
    unreadPlaces: (reason: string) => `No se pudieron leer los lugares de las celdas: ${reason}.`,
    west: "O",
  },

  measure: {
    clear: "Borrar la medida",
    clearKey: "Borrar (Esc)",
  },

  memory: {
    keep: "Conservar los datos para otras visitas",
    limit: "Memoria para datos en caché",
    offline: "Trabajar sin conexión, solo con datos conservados",
    title: "Memoria",
    used: (bytes: string) => `${bytes} en uso`,
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

  opening: {
    busy: "Abriendo…",
    noSource: "Aún no hay nada que mostrar: ponga en el atributo src la URL de un array o grupo Zarr.",
    refused: "La fuente no se puede usar",
  },

  page: {
    address: "Dirección de un array o grupo Zarr",
    clearRecent: "Vaciar esta lista",
    drop: "Suelte una carpeta, un archivo zip o un archivo para verlo",
    file: "Archivo…",
    fileInput: "Archivos: zip, TIFF, HDF5, NetCDF",
    fileTitle: "Abrir un archivo zip, TIFF, HDF5 o NetCDF de este equipo. No se envía nada.",
    folder: "Carpeta…",
    folderInput: "Una carpeta de Zarr",
    folderTitle: "Abrir una carpeta de este equipo. No se envía nada.",
    moved: (name: string) => `${name} se ha movido o eliminado.`,
    noRecent: "Las fuentes que abra se enumeran aquí, solo en este navegador.",
    notKept: (name: string) =>
      `${name} se abrió desde este equipo, y quizá las páginas no puedan conservar esos archivos: vuelva a soltarlo aquí o elíjalo.`,
    open: "Abrir",
    othersDropped: (shown: string, others: readonly string[]) =>
      `Se muestra ${shown}. Para ver ${others.join(", ")}, ábralo por separado.`,
    recent: "Recientes",
    recentPlace: { file: "Archivo comprimido de este equipo", directory: "Carpeta de este equipo" },
    title: "zarr-wasm viewer",
    titleOf: (name: string) => `${name} – zarr-wasm viewer`,
  },

  panels: {
    auto: "auto",
    colorBy: "Colorear por",
    colorMap: "Mapa de colores",
    defaultMap: "Predeterminado",
    highest: "Valor máximo de la columna",
    lowest: "Valor mínimo de la columna",
    of: (name: string) => ` de ${name}`,
    outermost: "Sin el 1 % más extremo",
    outlines: "Solo contornos",
    remove: (name: string) => `Quitar ${name}`,
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

  picture: {
    empty: "El array no tiene elementos: una de sus dimensiones tiene longitud 0.",
    reading: "Leyendo…",
    role: "imagen de un array",
  },

  planes: {
    feature: "característica",
    image: (shape: string) => `Imagen de un corte de ${shape} elementos`,
    label: (subject: string, down: string, across: string) =>
      `${subject}. Hacia abajo ${down}. Hacia la derecha ${across}. Las flechas leen valores.`,
    line: (shape: string, name: string) =>
      `Gráfico de una línea de ${shape} elementos. ${name}. Las flechas leen valores.`,
    row: "fila",
    scatterPlot: (count: string) => `Diagrama de dispersión de ${count} puntos`,
  },

  plate: {
    acquisition: "Adquisición",
    all: "Todos",
    enlarge: (fields: number) => `Amplíe los pocillos para ver los ${fields} campos de visión.`,
    failedWells: (count: number) =>
      count === 1 ? "1 de ellos no se pudo leer entero." : `${count} de ellos no se pudieron leer enteros.`,
    field: "Campo de visión",
    heading: (count: number) =>
      `Una placa con ${count === 1 ? "1 pocillo" : `${formatCount(count)} pocillos`}`,
    inView: (count: number) => (count === 1 ? "1 pocillo en la vista." : `${count} pocillos en la vista.`),
    onePlane: "ninguna: hay un solo plano",
    parts: "partes como field:0, acquisition:1 o size:64",
    reading: "Leyendo los pocillos…",
    size: "Tamaño de los pocillos",
    states: {
      read: () => "",
      empty: () => ", sin imágenes",
      failed: (why: string) => `, no se puede leer: ${why}`,
      partial: (why: string) => `, leído en parte: ${why}`,
    },
    title: "Placa",
    tooLarge: "la imagen no tiene ningún nivel lo bastante pequeño para una placa",
    upTo: (name: string | number, last: number) => `${name}:0 a ${name}:${last}`,
    well: (name: string) => `Pocillo ${name}`,
    wells: "Pocillos",
  },

  publicData: {
    beechnut: [
      "Un hayuco por tomografía computarizada",
      "Un volumen de un escáner de TC, como OME-Zarr 0.5.",
    ],
    blastocyst: [
      "Núcleos de un blastocisto",
      "Dos canales en 236 planos de un embrión de ratón, con etiquetas (idr0062).",
    ],
    blastocyst5: [
      "Núcleos de un blastocisto, OME-Zarr 0.5",
      "La misma imagen en Zarr v3, con sus etiquetas.",
    ],
    brain: [
      "Células de un cerebro humano",
      "Expresión de genes en células individuales, con una UMAP, como AnnData.",
    ],
    chicken: [
      "Un embrión de pollo",
      "Proyección de máximos de un embrión aclarado en microscopía de lámina de luz (idr0066).",
    ],
    era5: [
      "ERA5, a 1,5°",
      "El reanálisis del ECMWF cada seis horas de 1959 a 2022, en una malla de 240 × 121.",
    ],
    era5Hourly: ["ERA5, a 0,25° cada hora", "El reanálisis tal como se publica, con 37 niveles de presión."],
    fire: ["Riesgo de incendio en los bosques", "Modelado para Estados Unidos."],
    five: ["Cinco dimensiones", "Un ejemplo pequeño con tiempo, canales y tres dimensiones de espacio."],
    forecast: [
      "El pronóstico del tiempo de hoy",
      "El GFS de la NOAA, el mundo a 0,25°, actualizado a medida que se emite.",
    ],
    hela: [
      "Una célula entera por microscopía electrónica",
      "Una célula HeLa a 4 nm, por FIB-SEM: miles de planos a varias resoluciones.",
    ],
    hela3: ["Otra célula HeLa", "El mismo método a 4 nm, otra célula."],
    intestine: [
      "Visium HD, intestino de ratón",
      "Transcriptómica espacial: imágenes, formas y tablas como SpatialData.",
    ],
    labels: ["Una imagen con etiquetas", "Un ejemplo pequeño de etiquetas sobre una imagen."],
    liver: ["Tejido hepático", "Hígado de ratón por FIB-SEM."],
    plate: [
      "Una placa de un cribado",
      "Pocillos y campos de una placa en cinco canales (idr0033), con la disposición HCS.",
    ],
    plate2: [
      "Una placa de un cribado, Zarr v2",
      "Levadura de fisión en los pocillos de una placa (idr0001).",
    ],
    precipitation: [
      "Precipitación diaria",
      "El Global Precipitation Climatology Project a 1°, de 1996 a 2021.",
    ],
    rain: [
      "Temperatura y lluvia por meses",
      "Una pirámide de teselas de mapa para la web, a seis resoluciones.",
    ],
    sea: ["Temperatura superficial del mar", "El análisis MUR de la NASA a 1 km, cada día desde 2002."],
    weatherBench: ["WeatherBench 2", "ERA5 cada seis horas a 0,25°, para comparar pronósticos."],
    worm: [
      "Un gusano entero por microscopía electrónica",
      "Platynereis dumerilii a diez resoluciones, terabytes en la más fina.",
    ],
  },

  readout: {
    fill: "valor de relleno: el chunk no está guardado",
    hint: "Señale la imagen o use las flechas para leer valores; ? enumera todas las teclas.",
    label: "etiqueta",
    level: (level: number) => `nivel ${level}`,
    missing: "ausente",
    noPoint: "ningún punto",
    stored: (value: string) => `guardado ${value}`,
    touchHint: "Toque la imagen para leer valores; pellizque para hacer zoom.",
    unread: "aún no leído",
  },

  refresh: {
    tooMany: (count: number, most: number) =>
      `la selección abarca ${formatCount(count)} objetos guardados; actualice como máximo ${formatCount(most)} a la vez`,
  },

  regions: {
    along: "Serie a lo largo de",
    computing: "Calculando…",
    draw: "Dibujar una región",
    empty: "La región no contiene ningún elemento del array",
    facts: (mean: string, std: string, min: string, max: string, unit: string, count: string) =>
      `media ${mean}${unit} · desv. ${std} · ${min} a ${max} · n ${count}`,
    histogram: (name: string, low: string, high: string) => `Histograma de ${name}, de ${low} a ${high}`,
    holes: "Los huecos de los polígonos se rellenan.",
    kinds: { point: "Punto", line: "Línea", rectangle: "Rectángulo", ellipse: "Elipse", polygon: "Polígono" },
    label: (image: string, id: number) => `${image === "" ? "etiqueta" : image} ${id}`,
    leftOut: (count: number, most: number) =>
      count === 0
        ? "El documento no tiene puntos, líneas ni polígonos."
        : `${count === 1 ? "1 forma no puede" : `${formatCount(count)} formas no pueden`} ser una región: las regiones son puntos, líneas de dos extremos y polígonos de hasta 2000 vértices; una vista tiene como máximo ${most}.`,
    lines: "las líneas (perfil)",
    longLine: (most: number) => `La línea tiene más de ${formatCount(most)} elementos: dibuje una menor`,
    nameOf: (name: string) => `Nombre de ${name}`,
    noLabels: (name: string) => `La imagen no tiene etiquetas ${name}`,
    notCounted: "No se cuentan los elementos fuera de la región ni los valores ausentes",
    numbered: (number: number) => `Región ${number}`,
    ofLabels: "Añadir las etiquetas seleccionadas",
    open: "Abrir GeoJSON…",
    openHint: "O suelte un archivo aquí, o pegue GeoJSON aquí",
    removeAll: "Quitar todas",
    save: "Guardar como GeoJSON",
    saveCsv: "Guardar como CSV",
    title: "Regiones",
    tooLarge: (most: number) => `La región tiene más de ${formatCount(most)} elementos: dibuje una menor`,
    tooLong: (bytes: number) => `tiene más de ${formatCount(bytes)} bytes`,
    unreadable: (why: string) => `No se puede leer el GeoJSON: ${why}.`,
  },

  related: {
    colormap: (name: string, why: string) => `No se pudo cargar el mapa de colores ${name}: ${why}.`,
    failed: (subject: string, why: string) => `No se puede mostrar – ${subject}: ${why}.`,
    labels: "Las etiquetas",
    labelsNamed: (name: string) => `Las etiquetas ${name}`,
    layers: "Las capas",
    noLabels: "ninguna: la imagen no tiene etiquetas",
    points: "Los puntos",
    positions: (why: string) =>
      `No se pudieron leer las posiciones de los elementos: ${why}. Se dibujan como celdas iguales.`,
    table: "La tabla de las etiquetas",
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

  series: {
    element: "elemento",
    step: (axis: string) => `Paso a lo largo de ${axis}`,
    values: (axis: string, unit: string) => `${axis} · valores en ${unit}`,
  },

  settings: {
    another: "otro valor",
    at: "fila, columna y píxeles por elemento y, opcionalmente, el centro a lo largo del tercer eje",
    axes: "los nombres o números de dos ejes, como y,x",
    axis: "el número de un eje, o none",
    between: (least: number | string, most: number | string) => `de ${least} a ${most}`,
    channels: "una lista como 0:00ff00:auto de canales del array, o none",
    clip: "inicio:fin a lo largo de x, y y z, como 0:100,20:80,0:64",
    colormap: (names: string) => `${names} y otros, o una lista de colores como #000000,#ffffff`,
    column: "el nombre de una columna, o gene:NAME",
    columnMap: "un mapa de colores, como para colormap",
    curve: "de 2 a 16 fracciones ascendentes del intervalo, cada una con su opacidad, como 0/0;0.5/0.1;1/1",
    cut: "guiñada, cabeceo y profundidad de -1 a 1, como 30,20,0",
    either: (one: string, other: string) => `${one} o ${other}`,
    field: "el nombre de un campo",
    flat: (isLine: boolean) =>
      `el array tiene ${isLine ? "una dimensión" : "dos dimensiones"}, y los volúmenes necesitan tres`,
    index: "un índice para cada eje",
    labels: "hasta 64 etiquetas como 3,5, o none",
    latitude: "una latitud en grados, o none",
    layers: (kinds: string) =>
      `capas con src, kind (${kinds}), opacity (de 0 a 1), blend (normal, add), visible (yes, no), scale, translate, colormap, range, color (#rrggbb), size, by, outlines (yes, no), hide y pick (etiquetas)`,
    lines: "graticule, coasts, ambas, o none",
    longitude: "una longitud en grados, o none",
    more: "un objeto JSON",
    number: "un número, o none",
    orbit: "guiñada, cabeceo y zoom, como 30,20,1",
    planes: "xy y cualesquiera de xz, yz y volume, de un array con tres ejes o más",
    range: "low:high, auto, minmax o percentile",
    rangeObject: '{ mode: "manual", low, high }, o el modo auto, minmax o percentile',
    regions:
      "regiones como Lake=rectangle@1,2:10,20,30,40, de las clases point, line, rectangle, ellipse y polygon",
    sample: (most: number) => `auto, none, o de 0 a ${most} MiB`,
    select: "un índice, : o inicio:fin para cada eje, como 4,:,100:200",
    size: (most: number) => `de 0 a ${most} píxeles CSS`,
    slices: (names: string) => `cualesquiera de ${names}`,
    steps: (most: number) => `0, o de 2 a ${most}`,
    unfit: (setting: string, shape: string, nearest: string) =>
      `${setting} no encaja en el array de forma [${shape}]; se muestra ${nearest}`,
    unusable: (setting: string, why: string) => `${setting} no se puede usar: ${why}`,
  },

  sharing: {
    codeCopied: (language: string) => `Código ${language} de esta vista copiado al portapapeles.`,
    copyAs: (language: string) => `Copiar como ${language}`,
    figure: "Figura…",
    link: "Copiar enlace",
    linkCopied: "Enlace copiado al portapapeles.",
    manual: "Texto para copiar",
    noClipboard: "Esta página no puede usar el portapapeles: copie el texto de abajo.",
    onlyHere: "Este almacén solo existe en esta página; un programa no puede leerlo.",
    png: "Guardar PNG",
    saved: (name: string) => `${name} se ha guardado.`,
  },

  slices: {
    frameRate: "Reproducir",
    inC: "Leer los chunks en orden C, como los escribía zarr-python 1.x",
    index: (axis: string) => `Índice a lo largo de ${axis}`,
    more: (axes: number) => `${axes} ejes más`,
    play: (axis: string) => `Reproducir a lo largo de ${axis}`,
    rate: (slices: number) => (slices === 1 ? "1 corte por segundo" : `${slices} cortes por segundo`),
    stop: (axis: string) => `Parar la reproducción a lo largo de ${axis}`,
  },

  sources: {
    array: "Array",
    arrays: (count: number, used: number) =>
      `El grupo tiene ${formatCount(count)} arrays, de los que aquí se enumeran los primeros ${used}.`,
    asStored: (problem: string) => `${problem} Los valores se muestran como están guardados.`,
    contains: "Esta carpeta no es un nodo Zarr, pero contiene algunos.",
    coordinates: (why: string) => `No se pudieron leer las coordenadas: ${why}.`,
    coordinatesOf: (name: string, why: string) => `No se pudieron leer las coordenadas de ${name}: ${why}.`,
    filled: (name: string) =>
      `Una coordenada de ${name} es igual a su valor de relleno. Las coordenadas no pueden faltar, así que se usa.`,
    kinds: {
      dataset: "conjunto de datos",
      group: "grupo",
      image: "imagen multiescala",
      images: "serie de imágenes",
      labels: "grupo de etiquetas",
      levels: "pirámide",
      plate: "placa",
      well: "pocillo",
    },
    levels: (count: number, used: number) =>
      `La imagen tiene ${formatCount(count)} niveles, de los que se usan los primeros ${used}.`,
    missing: (name: string, count: number) =>
      count === 1
        ? `Falta una coordenada de ${name}.`
        : `Faltan ${formatCount(count)} coordenadas de ${name}.`,
    noPlate: "ninguna: la fuente no es una placa",
    noVariable: "ninguna: no hay",
    noVariables: "ninguna: la fuente no tiene variables",
    overPicture: (isPoints: boolean, path: string) =>
      `${isPoints ? "Los puntos" : "Las formas"} se dibujan sobre una imagen: abra una imagen y añada ${path === "" ? "esta dirección" : `la ruta ${path}`} en su panel Capas o como <zarr-layer>.`,
    unshown: (kind: string, why: string) => `No se puede mostrar como ${kind}: ${why}.`,
  },

  status: {
    chunks: (count: number, formatted: string) => (count === 1 ? "1 chunk" : `${formatted} chunks`),
    leftOut: (tiles: string, all: string) =>
      `${tiles} de ${all} teselas de la vista superan el límite de memoria y no se leen. Acerque la vista para verlas.`,
    middle: (chunks: string, bytes: string) =>
      `Este es el centro de un corte de ${chunks} (${bytes} al descodificar).`,
    moreDamaged: (count: number) => `${formatCount(count)} más no se pudieron leer.`,
    moreNotes: (count: string) => `Más avisos: ${count}.`,
    notes: "Avisos",
    order:
      "Los metadatos indican el orden F, pero zarr-python 1.x escribía en orden C los chunks de este compresor. Se leen en orden F, como se especifica; si la imagen parece desordenada, pruebe el orden C.",
    readAll: "Leer el corte entero",
    readInC: "Leer en orden C",
    reading: (chunks: string) => `Leyendo ${chunks}…`,
    retry: "Reintentar",
  },

  table: {
    label: (rows: string, columns: number) => `${rows} filas de ${columns} columnas`,
    part: (first: number, last: number, length: number) => `${first}–${last} de ${length}`,
    size: (rows: string, columns: number) => `${rows} filas, ${columns} columnas`,
    title: (down: string, across: string | undefined) =>
      across === undefined ? `Hacia abajo ${down}` : `Hacia abajo ${down}; hacia la derecha ${across}`,
    value: "Valor",
    values: "Valores",
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

  view: {
    name: "Vista",
    panes: "Paneles",
    plane: "Plano",
    title: "Variable y vista",
    volume: "Volumen",
  },

  volume: {
    across: (axis: string) => `a través de ${axis}`,
    clipBox: "Parte del volumen",
    clipEnd: (end: 0 | 1, axis: string) =>
      `${end === 0 ? "Primer" : "Último"} índice dibujado a lo largo de ${axis}`,
    clipRange: (first: number, last: number) => `${first} a ${last}`,
    cut: "Cortar en paralelo a la pantalla",
    cutDepth: "Profundidad del corte",
    description: (shape: string) =>
      `Volumen de ${shape} elementos. Las flechas lo giran, más y menos hacen zoom, Intro usa la herramienta en el elemento del centro.`,
    failed: (reason: string) => `No se puede mostrar el volumen: ${reason}.`,
    levels: (level: number, count: number) => `Nivel ${level} de ${count}`,
    modes: {
      max: "Máximo",
      min: "Mínimo",
      mean: "Media",
      composite: "Translúcido",
      surface: "Superficie",
    },
    picture: "imagen de un volumen",
    range: (low: string, high: string) => `${low} a ${high}`,
    ray: "A lo largo de cada rayo",
    scaleAtCentre: (length: string) => `${length} en el centro`,
    slices: "Cortes en el interior",
    stretch: (axis: string, factor: number) => `Estirar ${axis} × ${factor}`,
    theCut: "el corte",
    title: "Cortes y secciones del volumen",
  },
};

export default spanish;
