/** German texts of the interface. */
import type { Translation } from "./en.js";
import { formatCount } from "./locale.js";

const german: Translation = {
  advice: {
    fits: "Die Chunks passen zu dieser Ansicht: Die meisten dekodierten Daten sind sichtbar.",
    large: (each: string, times: number) =>
      `Chunks von ${each} enthalten das ${times}-Fache der Daten dieser Ansicht: Kleinere Chunks in Shards ließen sich in Teilen lesen.`,
    many: (chunks: number, each: string) =>
      `${formatCount(chunks)} Chunks von ${each} erfordern je eine Anfrage: Größere Chunks oder Shards kämen mit weniger aus.`,
    slices: (shape: string, depth: number, shown: number, flat: string, fewer: number, isSharded: boolean) =>
      `Chunks von ${shape} enthalten ${depth} Schichten, von denen diese Ansicht ${shown === 1 ? "eine" : shown} zeigt: Mit Chunks von ${flat} wären es für eine Schicht ${fewer}-mal weniger Bytes${isSharded ? "" : ", aber mehr Anfragen für einen Stapel, außer in Shards"}.`,
    unscaled: (elements: number) =>
      `Jedes Pixel deckt mindestens ${elements} Elemente ab, die alle gelesen werden müssen: Von einem Bild mit Auflösungsstufen (OME-Zarr) genügte eine kleinere Kopie.`,
  },

  axes: {
    columns: "Spalten",
    first: (axis: string) => `Erster gezeigter Index entlang ${axis}`,
    horizontal: "Waagerechte Achse",
    last: (axis: string) => `Letzter gezeigter Index entlang ${axis}`,
    part: "Gezeigter Teil",
    rows: "Zeilen",
    swap: "Zeilen und Spalten vertauschen",
    title: "Achsen und gezeigter Teil",
    vertical: "Senkrechte Achse",
  },

  channelPanel: {
    colour: (name: string) => `Farbe von ${name}`,
    common: "Gleicher Bereich für alle Kanäle",
    more: "Weitere Kanaleinstellungen",
    name: (number: number, label: string) => `Kanal ${number}, ${label}`,
    settings: (name: string) => `Grenzen und Gamma von ${name}`,
    show: (name: string) => `${name} anzeigen`,
    title: "Kanäle",
    together: "Alle Kanäle in einem Bild",
    which: (name: string) => `Auswahl für ${name}`,
  },

  channels: {
    channel: (index: number) => `Kanal ${index}`,
    primaries: ["Rot", "Grün", "Blau", "Deckkraft"],
  },

  code: {
    archive: "zarr-python kann kein Zip-Archiv über seine Adresse öffnen",
    files: "zarr-python kann keine Dateien anderer Formate öffnen",
    order: "zarr-python hat keine Option für diese Reihenfolge der Elemente",
    pipeline: "zarr-python kann keine URL-Pipeline öffnen",
    v1: "zarr-python liest Zarr v1 nicht mehr, daher gibt es dafür kein Python",
  },

  collections: {
    auxiliary: (count: number) => `Koordinaten und Hilfsarrays (${formatCount(count)})`,
    fields: "Sichtfelder",
    group: "Gruppe",
    images: "Bilder",
    labels: "Labels",
    plots: "Streudiagramme",
    titled: (title: string, count: number) => `${title} (${formatCount(count)})`,
    variables: "Variablen",
  },

  columns: {
    cancel: "Abbrechen",
    failed: (name: string, why: string) => `Die Spalte ${name} konnte nicht gelesen werden: ${why}.`,
    progress: (name: string, percent: number, size: string) =>
      `${name} wird gelesen: ${percent} % von ${size}.`,
    read: (size: string) => `${size} lesen`,
    unknown: (name: string) =>
      `Die Spalte ${name} kann nicht angezeigt werden: Sie existiert nicht oder hat eine unbekannte Art.`,
    unread: (name: string, why?: string) =>
      `${name} wurde nicht gelesen${why === undefined ? "" : `: ${why}`}.`,
  },

  commands: {
    find: "Einstellung oder Aktion suchen",
    list: "Einstellungen und Aktionen",
    title: "Befehle",
  },

  complexParts: {
    imaginary: "Imaginärteil",
    magnitude: "Betrag",
    phase: "Phase",
    real: "Realteil",
  },

  compose: {
    unlisted:
      "In diesen SpatialData wurden weder Bilder noch Labels gefunden: Der Server listet keine Ordner auf, und die Metadaten nennen keine. Öffnen Sie ein Element über seinen Pfad, etwa images/NAME, oder schreiben Sie konsolidierte Metadaten mit sdata.write_consolidated_metadata().",
  },

  compute: {
    cancel: "Abbrechen",
    formula: "Formel aus data und anderen Variablen",
    label: (kind: string, name: string, over: string) => `${kind} von ${name} (${over})`,
    noAxis: (name: string, names: readonly (string | null)[]) =>
      `Es gibt keine Achse "${name}"; die Achsen sind ${names.join(", ")}`,
    noVariable: (name: string) =>
      `Neben der geöffneten Variable, die data heißt, gibt es keine Variable "${name}"`,
    notSlice: (text: string) =>
      `"${text}" ist keine Schicht: Schreiben Sie data[time=5], mit einer Zahl ab 0`,
    operation: "Operation",
    operations: {
      mean: "Mittelwert",
      min: "Minimum",
      max: "Maximum",
      std: "Standardabweichung",
      anomaly: "Anomalie (Abweichung vom Mittelwert)",
      month: "Anomalie gegenüber dem Mittelwert jedes Monats",
    },
    original: "Ursprüngliche Variable anzeigen",
    over: "Über die Achse",
    partial: "Das Bild zeigt einen Teil des Ergebnisses, bis alles berechnet ist.",
    progress: (name: string, share: number) => `${name} wird berechnet: ${Math.floor(100 * share)} %`,
    run: "Berechnen",
    runFormula: "Formel berechnen",
    singleNumber: "Das Ergebnis ist eine einzelne Zahl: Wählen Sie ein Array mit zwei oder mehr Achsen",
    syntax: (text: string) =>
      `"${text}" kann nicht berechnet werden: Schreiben Sie mean:, min:, max: oder std: und den Namen einer Achse, anomaly:time oder anomaly:time.month, oder expr: und eine Formel aus data und anderen Variablen`,
    title: "Berechnen",
  },

  cost: {
    decoded: "Dekodiert",
    failed: (reason: string) => `Die Messung ist gescheitert: ${reason}.`,
    inChunks: (bytes: string, chunks: string, count: number) =>
      `${bytes} in ${chunks} ${count === 1 ? "Chunk" : "Chunks"}`,
    inView: "In der Ansicht",
    measure: "Lesen messen",
    measured: (cost: {
      requests: number;
      bytes: string;
      decoded: string;
      time: string;
      decodeTime: string;
      isStoreSlow: boolean;
    }) => {
      const asked = `${cost.requests} ${cost.requests === 1 ? "Anfrage lieferte" : "Anfragen lieferten"} ${cost.bytes}`;
      const slow = cost.isStoreSlow
        ? "Der Speicher brauchte länger als das Dekodieren."
        : "Das Dekodieren brauchte länger als der Speicher.";
      return `Die Mitte der Ansicht: ${asked} für ${cost.decoded}; insgesamt ${cost.time}, davon ${cost.decodeTime} für das Dekodieren in einem Thread. ${slow}`;
    },
    measuring: "Wird gemessen …",
    title: "Lesen",
    visible: "Sichtbar",
  },

  crumbs: {
    browse: "Durchsuchen",
    gap: (count: number) => (count === 1 ? "1 weitere Gruppe" : `${formatCount(count)} weitere Gruppen`),
    list: "Knoten dieser Gruppe auflisten",
    listOthers: "Andere Knoten dieser Gruppe auflisten",
    open: (name: string) => `${name} öffnen`,
    title: "Pfad",
  },

  curve: {
    default: "Standard",
    defaultOf: (channel: string) => `Standarddeckkraft${channel}`,
    help: "Doppelklick fügt einen Punkt hinzu oder entfernt ihn; Pfeiltasten verschieben einen Punkt, Entf entfernt ihn",
    point: (number: number, channel: string, percent: number, opacity: string) =>
      `Punkt ${number}${channel}, ${percent} % des Bereichs: Deckkraft ${opacity}`,
    title: "Deckkraft nach Wert",
    titleOf: (channel: string) => `Deckkraft nach Wert${channel}`,
  },

  dialogs: {
    close: "Schließen",
  },

  dock: {
    controls: "Einstellungen",
    title: "Ansicht und Array",
  },

  drop: {
    failed: (name: string, why = "nicht lesbar") => `${name} kann nicht geöffnet werden: ${why}.`,
    geoJson: (name: string) =>
      `${name} wird über ein Bild gezeichnet: Öffnen Sie zuerst das Bild, dann fügen Sie die Adresse von ${name} im Bereich „Layer“ hinzu, oder legen Sie die Datei im Bereich „Regionen“ ab, um ihre Formen zu messen.`,
    loose: (name: string) => `${name} ist ein Dokument eines Knotens, ohne seinen Ordner.`,
    part: (name: string) =>
      `${name} ist ein Teil eines Zarr-Knotens: Legen Sie den Ordner ab, in dem es liegt.`,
    tooLarge: (name: string) => `${name} ist zu groß für eine Datei mit Referenzen.`,
  },

  errorAdvice: {
    byte: "Bei Byte",
    chunk: "Chunk",
    codec: "Codec",
    codecs:
      "Die Codecs des Arrays können die gespeicherten Bytes nicht dekodieren: Der Chunk ist vielleicht abgeschnitten, beschädigt oder mit anderen Einstellungen geschrieben als in den Metadaten.",
    cors: (origin: string) =>
      `Ein anderer Server als der dieser Seite muss es erlauben (CORS): Seine Antworten brauchen den Header Access-Control-Allow-Origin: *${origin === "" ? "" : ` (oder ${origin})`}.`,
    details: "Einzelheiten",
    error: "Fehler",
    expired:
      "Der Server verweigert den Zugriff: Die Daten sind vielleicht nicht öffentlich, oder eine signierte Adresse ist abgelaufen.",
    feature: "Die Adresse ist in Ordnung. Ein Programm, das diese Funktion kennt, kann das Array lesen.",
    file: "Die Datei ist vielleicht abgeschnitten, beschädigt oder wird noch geschrieben.",
    fineAddress: "Die Adresse ist in Ordnung.",
    incomplete: "Der Server hat geantwortet, aber die gespeicherten Daten sind unvollständig.",
    invalid: "Das Metadatendokument existiert, entspricht aber nicht der Zarr-Spezifikation.",
    missing: "Manche Objektspeicher antworten bei fehlenden Objekten mit 403.",
    mixed:
      "Diese Seite kam über https, daher liest der Browser nicht von einer http-Adresse: Versuchen Sie es mit https://.",
    others: "Andere Chunks können weiterhin angesehen werden.",
    place:
      "Die Adresse muss die einer Datei sein oder die des Ordners, der die Metadaten des Arrays (bei Zarr v1 meta) neben den Chunks enthält.",
    policy:
      "Die Richtlinie der Seite muss WebAssembly erlauben ('wasm-unsafe-eval'), und die .wasm-Datei muss unter der URL liegen, die die Seite anfragt.",
    question: "Stimmt die Adresse, und antwortet ihr Server?",
    ranges:
      "Für Teile von Dateien brauchen seine Antworten auf OPTIONS Access-Control-Allow-Headers: Range und alle Antworten Access-Control-Expose-Headers: Content-Range, ETag.",
    requests:
      "Der Server begrenzt die Zahl der Anfragen. Warten Sie einen Moment, dann versuchen Sie es erneut.",
    server: "Der Server liefert diese Adresse nicht richtig aus.",
    simd: "Der Browser muss WebAssembly SIMD unterstützen, wie alle aktuellen.",
    smaller: "Wenn die Auswahl die Grenze überschreitet, sehen Sie einen kleineren Teil an.",
    smallerChunks:
      "Chunks werden als Ganzes gelesen; eine Kopie des Arrays mit kleineren Chunks kann angesehen werden.",
    source: "Quelle",
    spelling:
      "Prüfen Sie Schreibweise und Großbuchstaben. Eine Adresse auf einem anderen Server beginnt mit https://.",
    status: "HTTP-Status",
    temporary: "Der Server ist gescheitert, vielleicht nur vorübergehend: Versuchen Sie es erneut.",
    together: "Alle Dateien eines Satzes müssen in einem Ordner liegen oder zusammen abgelegt werden.",
    usage: "Geben Sie die Adresse eines Zarr-Arrays ein, etwa https://example.org/data/array.zarr.",
    webPage:
      "Der Server hat statt Daten eine Webseite gesendet: Prüfen Sie die Adresse, und ob der Server eine Anmeldung verlangt.",
    zip: "Die Datei ist vielleicht abgeschnitten, beschädigt oder kein Zip-Archiv.",
  },

  errors: {
    archive: "Das Archiv ist nicht lesbar",
    chunk: "Ein Chunk konnte nicht gelesen werden",
    damagedChunk: (name: string) => `Chunk ${name} ist beschädigt`,
    damagedFile: "Die Datei ist beschädigt",
    titles: {
      NotFound: "Hier ist kein Zarr-Array",
      InvalidMetadata: "Die Metadaten des Arrays sind ungültig",
      UnknownCodec: "Das Array benutzt einen unbekannten Codec",
      Unsupported: "Das Array benutzt eine nicht unterstützte Funktion",
      CorruptChunk: "Ein Chunk ist beschädigt",
      InvalidSelection: "Die Ansicht passt nicht zum Array",
      InvalidArgument: "Die Quelle ist nicht verwendbar",
      Network: "Die Quelle konnte nicht gelesen werden",
      LimitExceeded: "Eine Grenze ist überschritten",
      EngineFailed: "Der WebAssembly-Decoder konnte nicht gestartet werden",
      FutureVersion: "Die Daten haben eine neuere Formatversion",
      NotAllowed: "Der Zugriff auf die Daten ist nicht erlaubt",
      SourceChanged: "Eine Quelldatei hat sich geändert",
    },
    unknown: "Etwas ist schiefgegangen",
    unreadChunk: (name: string) => `Chunk ${name} konnte nicht gelesen werden`,
    unsupportedFile: "Die Datei kann nicht angezeigt werden",
    unwritten: "Der Speicher konnte nicht beschrieben werden",
  },

  facts: {
    attributes: (count: string) => `Attribute (${count})`,
    chunkCount: (count: string, bytes: string | undefined) =>
      bytes === undefined ? count : `${count}, je ${bytes}`,
    chunkShape: "Form der Chunks",
    chunks: "Chunks",
    codecs: "Codecs",
    dimensions: "Dimensionen",
    dtype: "Datentyp",
    fillValue: "Füllwert",
    format: "Zarr-Format",
    longer: "Die Attribute sind länger als hier gezeigt.",
    noFill: "keiner (wird als Nullen gelesen)",
    shape: "Form",
    shardShape: "Form der Shards",
    size: "Größe",
    title: "Angaben zum Array",
  },

  features: {
    embeddings: "Einbettungen",
    values: (count: number) => `${formatCount(count)} Werte`,
  },

  figure: {
    axis: "Achse",
    cancel: "Abbrechen",
    cancelled: "Abgebrochen",
    copied: (name: string) => `${name} ist in der Zwischenablage`,
    copy: "Kopieren",
    drawing: "Wird gezeichnet …",
    failed: (reason: string) => `Die Abbildung konnte nicht erstellt werden: ${reason}.`,
    format: "Format",
    heading: "Abbildung",
    height: "Höhe",
    noClipboard:
      "diese Seite kann die Zwischenablage nicht benutzen; speichern Sie die Abbildung stattdessen",
    noRecorder: (format: string) => `Dieser Browser kann keine ${format}-Videos aufzeichnen.`,
    ownHeight: "die des Inhalts",
    progress: (done: number, total: number, perSecond: string) =>
      `${done} von ${total} Schichten aufgezeichnet, ${perSecond} pro Sekunde`,
    rate: "Schichten pro Sekunde",
    recorded: "Aufgezeichnete Schichten",
    resolution: "Auflösung, Pixel pro Zoll",
    save: "Speichern",
    scaleBar: "Maßstabsbalken",
    size: (width: number, height: number | undefined) =>
      height === undefined ? `${width} Pixel breit` : `${width} × ${height} Pixel`,
    slow: "das Lesen der Daten dauert zu lange",
    title: "Titel",
    unit: "Einheit",
    units: { mm: "mm", in: "Zoll", px: "CSS-Pixel" },
    unreadable: "ihre Daten sind nicht lesbar",
    video: (format: string) => `Video (${format})`,
    width: "Breite",
    wrongRate: "Eine Sekunde muss 1 bis 60 Schichten haben.",
    wrongResolution: (least: number, most: number) =>
      `Die Auflösung muss ${least} bis ${most} Pixel pro Zoll betragen.`,
    wrongSize: (least: number, most: number, unit: string) =>
      `Breite und Höhe müssen ${least} bis ${most} ${unit} betragen.`,
  },

  format: {
    axis: (number: number) => `Achse ${number}`,
    axisNamed: (name: string, number: number) => `${name} (Achse ${number})`,
    byteString: (length: number) => `Bytefolge der Länge ${formatCount(length)}`,
    bytes: "Bytes",
    bytesInAll: (shown: string, length: number) => `${shown} … (${formatCount(length)} Bytes)`,
    characters: (length: number) => `Text mit ${formatCount(length)} Zeichen`,
    inAll: (length: number) => `… (insgesamt ${formatCount(length)})`,
    rawBytes: (length: number) => `${formatCount(length)} rohe Bytes`,
    since1970: (count: string) => `${count} seit 1970`,
    single: "ein einzelner Wert",
    units: "Einheiten",
  },

  gallery: {
    fields: {
      microscopy: "Mikroskopie",
      "single cells": "Einzelzellen",
      "weather and climate": "Wetter und Klima",
    },
    publicData: "Öffentliche Daten",
    publicDataNote:
      "Daten anderer, über ihre Adresse: Sie können umgezogen sein, und ihre Server erlauben dieser Seite vielleicht nicht, sie zu lesen.",
    smallArrays: "Kleine Arrays",
    testData: "Testdaten",
    welcome:
      "Geben Sie die Adresse eines Zarr-Arrays, einer Zarr-Gruppe oder einer NetCDF-, HDF5-, TIFF- oder FITS-Datei ein, oder legen Sie hier einen Ordner oder Dateien ab. Andere Server müssen Seiten das Lesen erlauben (CORS); Dateien dieses Rechners werden nirgendwohin gesendet.",
  },

  genes: {
    descends: (path: string) => `/${path} ist nicht aufsteigend`,
    first: "Gen",
    layer: "Ebene der Matrix",
    lengths: (one: string, other: string) => `/${one} und /${other} sind verschieden lang`,
    log: "Logarithmus von 1 + Wert",
    missing: (name: string) => `das Gen ${name} ist nicht enthalten`,
    more: "Zweites Gen, Ebene und Logarithmus",
    noColumn: (path: string, column: number) => `die Matrix /${path} hat keine Spalte ${column}`,
    noMatrix: (path: string) => `/${path} ist keine Matrix`,
    noMatrixOf: (path: string, rows: string) => `/${path} ist keine Matrix mit ${rows} Zeilen`,
    noNames: "die Tabelle hat keine Namen von Genen",
    outside: (path: string, rows: string) => `/${path} hat einen Index außerhalb der ${rows} Zeilen`,
    placeholder: "Name",
    second: "Zweites Gen",
    spread: (size: string) =>
      `die Werte sind über bis zu ${size} verteilt, weil die Matrix nach Zellen gespeichert ist`,
    uncovered: (path: string, data: string) => `/${path} deckt die Elemente von /${data} nicht ab`,
    unknown: (name: string) => `Es gibt kein Gen ${name}.`,
    unreadable: "Die Namen der Gene konnten nicht gelesen werden.",
  },

  help: {
    axes: [
      [".  ,", "Nächste und vorige Schicht der zuletzt benutzten Achse"],
      ["Leertaste", "Schichten abspielen oder anhalten"],
    ],
    axis: (name: string) => `Weiter und zurück in ${name}`,
    axisKeys: (key: number) => `${key}, Umschalt + ${key}`,
    labels: [["Klick, Eingabe", "Label auswählen; nochmals: abwählen"]],
    more: [
      ["Strg + K, ⌘ K", "Einstellung oder Aktion suchen"],
      ["F", "Vollbild"],
      ["S", "Als PNG speichern"],
      ["?", "Diese Tasten"],
    ],
    moving: [
      ["Strg + Ziehen", "Bild verschieben, mit jedem Werkzeug"],
      ["Mausrad, zwei Finger, Doppelklick", "Zoomen"],
      ["+  −", "Vergrößern und verkleinern"],
      ["0", "Ganze Schicht einpassen"],
      ["Umschalt + Ziehen", "In ein Rechteck zoomen, mit jedem Werkzeug"],
    ],
    points: [
      ["Pfeiltasten, Bild auf, Bild ab", "Zum nächsten Punkt in dieser Richtung"],
      ["Pos1, Ende", "Cursor an den linken oder rechten Rand"],
      ["Klick, Eingabe", "Punkt auswählen; nochmals: abwählen"],
      ["Esc", "Cursor ausblenden"],
    ],
    reading: [
      ["Pfeiltasten", "Cursor bewegen und Werte ablesen; mit Umschalt um 10 Elemente"],
      ["Bild auf, Bild ab", "Um 16 Zeilen bewegen"],
      ["Pos1, Ende", "Erste und letzte Spalte"],
      ["Klick, Eingabe, Fadenkreuz ziehen", "Element aller Teilansichten wählen"],
      ["Esc", "Cursor ausblenden"],
    ],
    rows: [
      ["Pfeiltasten, Bild auf, Bild ab", "Durch die Zeilen bewegen"],
      ["Strg + Pos1, Strg + Ende", "Erste und letzte Zeile"],
      ["Ziffern", "Zu einer Zeile nach ihrer Nummer"],
      ["Klick, Eingabe, Leertaste", "Zeile auswählen; nochmals: abwählen"],
    ],
    sections: {
      labels: "Labels",
      more: "Weiteres",
      moving: "Bewegen",
      points: "Punkte",
      reading: "Werte ablesen",
      rows: "Zeilen der Tabelle",
      slices: "Schichten",
      tools: "Werkzeuge",
      volume: "Volumen",
    },
    tools: (isPlot: boolean) => [
      ["H", "Bild durch Ziehen verschieben"],
      ["Z", "In ein Rechteck zoomen: ziehen oder zwei Ecken anklicken"],
      [
        "P",
        isPlot
          ? "Cursor an einer Stelle halten"
          : "Element wählen: Sein Wert wird durch die Schichten verfolgt",
      ],
      ["M", "Abstand messen: ziehen oder zwei Punkte anklicken"],
      ["Eingabe", "Werkzeug am Cursor benutzen"],
      ["Esc", `Abbrechen, Messung oder ${isPlot ? "gewählte Stelle" : "gewähltes Element"} löschen`],
    ],
    volume: [
      ["Pfeiltasten, Ziehen", "Drehen"],
      ["Umschalt + Ziehen, Umschalt + Pfeiltasten, zwei Finger", "Verschieben"],
      ["Mausrad, zwei Finger, +  −", "Zoomen"],
      [
        "Eine Fläche des Würfels, X, Y, Z",
        "Entlang einer Achse blicken; mit Umschalt von ihrem anderen Ende",
      ],
      ["V", "Parallele oder perspektivische Projektion"],
      ["0, Doppelklick", "Anfangsansicht"],
      ["C", "Parallel zum Bildschirm schneiden oder Schnitt entfernen"],
      ["[  ]", "Schnitt verschieben"],
      ["Zeiger", "Wert ablesen"],
      ["Klick, Eingabe", "Werkzeug auf das Element unter dem Zeiger oder in der Mitte anwenden"],
      ["H", "Werkzeug: Element und sein Label wählen"],
      ["P", "Werkzeug: Cursor am Element halten"],
      ["M", "Werkzeug: zwischen zwei Elementen messen"],
      ["Esc", "Messung löschen, Cursor lösen oder Wert ausblenden"],
    ],
  },

  histogram: {
    all: (count: string, interval: string) => `Alle ${count} der Schicht: ${interval}`,
    count: (count: string, hasMissing: boolean) => `${count} ${hasMissing ? "Elemente" : "Werte"}`,
    interval: (low: string, high: string) => `${low} bis ${high}`,
    limits: [
      (name: string) => `Untergrenze von ${name}`,
      (name: string) => `Obergrenze von ${name}`,
    ] as const,
    of: (name: string) => `Histogramm von ${name}`,
    some: (count: string, interval: string) =>
      `${count} gelesen, nicht alle der Schicht; 98 % davon von ${interval}`,
  },

  invalidLayer: {
    arrayElements: (path: string, most: string) => `/${path} hat mehr als ${most} Elemente`,
    arrayNumbers: (path: string) => `/${path} enthält keine Zahlen`,
    bytes: (most: number) => `die Dateien haben mehr als ${formatCount(most)} Bytes`,
    columnLength: "eine Spalte hat eine andere Länge",
    coordinates: (feature: number) => `Objekt ${feature} hat Koordinaten, die keine Liste sind`,
    deep: (most: number) => `Geometrien sind mehr als ${most}-fach verschachtelt`,
    elements: (most: string) => `mehr als ${most} Elemente`,
    features: (most: string) => `mehr als ${most} Objekte`,
    geometry: (feature: number) => `Objekt ${feature} hat eine Geometrie unbekannten Typs`,
    infinite: "die Koordinaten sind keine endlichen Zahlen",
    list: (path: string) => `/${path} ist keine Liste`,
    noFeatures: "features ist keine Liste",
    noFile: (name: string) => `${name} existiert nicht`,
    noGeoJson: "kein GeoJSON: erwartet wurde eine FeatureCollection",
    noIndex: "der Index fehlt",
    noJson: (why: string) => `kein JSON: ${why}`,
    noNumbers: "die Spalten x und y sind keine Zahlen",
    noPairs: (name: string) => `${name} hat nicht zwei oder drei Spalten`,
    noPlaces: "den Punkten fehlen die Spalten x und y",
    noPositions: "die Positionen obsm/spatial fehlen",
    noWkb: (column: string) => `die Spalte ${column} fehlt oder ist nicht in WKB`,
    offsets: "die Offsets der Polygone sind nicht aufsteigend",
    rows: (most: string) => `mehr als ${most} Zeilen`,
    shape: (path: string, shape: string) => `/${path} hat die Form ${shape}`,
    shapes: "die Formen haben einen unbekannten Typ",
    vertices: (most: string) => `mehr als ${most} Eckpunkte`,
  },

  labels: {
    hidden: "Verborgene Labels",
    none: "Keine",
    opacity: "Deckkraft der Labels",
    over: "Über dem Bild",
    placeholder: "keine",
    selected: "Ausgewählte Labels",
    title: "Labels",
  },

  layerErrors: {
    direction: (axis: string | number) => `die Achse ${axis} läuft in die andere Richtung`,
    geometry: "eine Geometrie ist beschädigt",
    geometryType: (type: number) => `Geometrien haben den unbekannten Typ ${type}`,
    missing: "die Datei existiert nicht",
    nested: (depth: number) => `Geometrien sind mehr als ${depth}-fach verschachtelt`,
    noAxis: (axis: string | number) => `die Achse ${axis} fehlt`,
    noImage: "ein einzelnes Bild fehlt",
    noInverse: "die Transformation hat keine Inverse",
    turned: "die Metadaten drehen ihn aus der Ebene der Zeilen und Spalten",
  },

  layerNotes: {
    failed: (name: string, reason: string) => `Der Layer ${name} kann nicht angezeigt werden: ${reason}.`,
    leftOut: (name: string, leftOut: number, count: number) =>
      `Im Layer ${name} fehlen ${formatCount(leftOut)} von ${formatCount(count)} Objekten: Ihre Koordinaten sind keine endlichen Zahlen.`,
    retry: "Erneut versuchen",
  },

  layers: {
    add: "Hinzufügen",
    additive: "Additiv",
    address: "Layer hinzufügen",
    addressHint: "URL von Zarr oder GeoJSON",
    blending: "Mischmodus",
    color: "Farbe",
    label: "Label",
    layer: (name: string) => `Layer ${name}`,
    lower: (name: string) => `${name} nach unten`,
    none: "Keine",
    normal: "Normal",
    opacity: "Deckkraft",
    pictureOpacity: "Deckkraft des Bildes",
    raise: (name: string) => `${name} nach oben`,
    remove: "Entfernen",
    size: "Größe, px",
  },

  legend: {
    above: "Werte über dem Bereich",
    below: "Werte unter dem Bereich",
    channels: "Kanäle",
    empty: "(leer)",
    infinite: (count: number) =>
      count === 1 ? "1 Element ist unendlich" : `${formatCount(count)} Elemente sind unendlich`,
    labels: "Jedes Label hat seine eigene Farbe; 0 ist der Hintergrund",
    layers: "Farben der Layer",
    log: "Logarithmische Skala",
    missing: (count: number) =>
      count === 1 ? "1 Element fehlt (kariert)" : `${formatCount(count)} Elemente fehlen (kariert)`,
    more: (count: string) => `und ${count} weitere`,
    noValue: "kein Wert",
    notNumbers: (count: number) =>
      count === 1
        ? "1 Element ist keine Zahl (kariert)"
        : `${formatCount(count)} Elemente sind keine Zahlen (kariert)`,
    notStored: "Chunk ist nicht gespeichert",
    own: "Eigene Farben",
    sampled: (colormap: string, slices: number | undefined, all: string) =>
      `${colormap}; ein Bereich für alle Schichten, aus ${slices === undefined ? `allen ${all}` : `${slices} von ${all}`}`,
    symlog: "Symmetrische logarithmische Skala",
  },

  listing: {
    more: (count: number) =>
      `Der Server listet ${formatCount(count)} weitere Ordner auf, die nicht geprüft wurden.`,
    tried: (count: number) =>
      `Der Server listet keine Ordner auf, und es gibt keine konsolidierten Metadaten: Nur ${count === 1 ? "ein gebräuchlicher Name wurde" : `${count} gebräuchliche Namen wurden`} probiert; es kann weitere geben.`,
  },

  main: {
    chunks: "Gelesene Chunks",
    controls: "Bild",
    points: (count: number) => `${formatCount(count)} Punkte`,
    progress: (chunks: number, total: number, bytes: string) =>
      `${formatCount(chunks)} von ${formatCount(total)} Chunks, ${bytes}`,
    title: "Schicht",
    waiting: (status: string) =>
      `${status} Nach 10 s noch keine Antwort: Die Quelle ist langsam oder antwortet nicht.`,
  },

  maps: {
    areas: "Equal Earth: flächentreu",
    cell: (id: number) => `Zelle ${id}`,
    coasts: "Küstenlinien",
    degrees: "Länge und Breite",
    east: "O",
    elements: "Elemente",
    equalCells: "Als gleich große Zellen",
    globe: "Globus",
    graticule: "Längen- und Breitenkreise",
    map: "Karte",
    mercator: "Mercator",
    meridian: "Länge der Mitte, Grad Ost",
    meridianHint: "wie gespeichert",
    noPosition: "keine Position",
    noTime: "keine Zeit",
    north: "N",
    northPole: "Um den Nordpol",
    ofCoordinates: "An ihren Koordinaten",
    onMap: "Auf einer Karte",
    parallel: "Breite der Mitte, Grad Nord",
    parallelHint: "der Daten",
    since1970: (milliseconds: string) => `${milliseconds} ms seit 1970`,
    south: "S",
    southPole: "Um den Südpol",
    stored: "Wie gespeichert",
    title: "Orte und Teilansichten",
    unreadPlaces: (reason: string) => `Die Orte der Zellen konnten nicht gelesen werden: ${reason}.`,
    west: "W",
  },

  measure: {
    clear: "Messung löschen",
    clearKey: "Löschen (Esc)",
  },

  memory: {
    keep: "Daten für spätere Besuche behalten",
    limit: "Speicher für zwischengespeicherte Daten",
    offline: "Offline arbeiten, nur mit behaltenen Daten",
    title: "Speicher",
    used: (bytes: string) => `${bytes} belegt`,
  },

  nodes: {
    array: "Array",
    "data frame": "Datentabelle",
    folder: "Ordner",
    group: "Gruppe",
    images: "Bilder",
    labels: "Labels",
    "multiscale image": "Bild mit Auflösungsstufen",
    plate: "Platte",
    scene: "Szene",
    well: "Well",
  },

  opening: {
    busy: "Wird geöffnet …",
    noSource:
      "Noch nichts anzuzeigen: Setzen Sie das Attribut src auf die URL eines Zarr-Arrays oder einer Zarr-Gruppe.",
    refused: "Die Quelle ist nicht verwendbar",
  },

  page: {
    address: "Adresse eines Zarr-Arrays oder einer Zarr-Gruppe",
    clearRecent: "Liste leeren",
    drop: "Ordner, Zip-Archiv oder Datei hier ablegen, um sie anzusehen",
    file: "Datei …",
    fileInput: "Dateien: Zip-Archive, TIFF, HDF5, NetCDF",
    fileTitle:
      "Ein Zip-Archiv, eine TIFF-, HDF5- oder NetCDF-Datei dieses Rechners öffnen. Nichts wird gesendet.",
    folder: "Ordner …",
    folderInput: "Ein Zarr-Ordner",
    folderTitle: "Einen Ordner dieses Rechners öffnen. Nichts wird gesendet.",
    moved: (name: string) => `${name} wurde verschoben oder gelöscht.`,
    noRecent: "Quellen, die Sie öffnen, werden hier aufgelistet, nur in diesem Browser.",
    notKept: (name: string) =>
      `${name} wurde von diesem Rechner geöffnet, und Seiten dürfen solche Dateien vielleicht nicht behalten: Legen Sie sie wieder hier ab, oder wählen Sie sie aus.`,
    open: "Öffnen",
    othersDropped: (shown: string, others: readonly string[]) =>
      `Gezeigt wird ${shown}. Öffnen Sie ${others.join(", ")} allein, um es zu sehen.`,
    recent: "Zuletzt",
    recentPlace: { file: "Archiv dieses Rechners", directory: "Ordner dieses Rechners" },
    title: "zarr-wasm viewer",
    titleOf: (name: string) => `${name} – zarr-wasm viewer`,
  },

  panels: {
    auto: "auto",
    colorBy: "Färben nach",
    colorMap: "Farbtabelle",
    defaultMap: "Standard",
    highest: "Höchster Wert der Spalte",
    lowest: "Niedrigster Wert der Spalte",
    of: (name: string) => ` von ${name}`,
    outermost: "Ohne das äußerste 1 %",
    outlines: "Nur Umrisse",
    remove: (name: string) => `${name} entfernen`,
    to: "bis",
    values: "Werte",
  },

  panes: {
    along: (axis: string, at: string) => `Entlang ${axis} bei [${at}]`,
    depth: "Dritte Achse der Teilansichten",
    none: "Keine",
    profile: "Profil",
    profileAxis: "Linie unter dem Zeiger entlang",
    volume: "Volumen neben den Teilansichten",
  },

  picture: {
    empty: "Das Array hat keine Elemente: Eine seiner Dimensionen hat die Länge 0.",
    reading: "Wird gelesen …",
    role: "Bild eines Arrays",
  },

  planes: {
    feature: "Merkmal",
    image: (shape: string) => `Bild einer Schicht von ${shape} Elementen`,
    label: (subject: string, down: string, across: string) =>
      `${subject}. Nach unten ${down}. Nach rechts ${across}. Pfeiltasten lesen Werte ab.`,
    line: (shape: string, name: string) =>
      `Diagramm einer Linie von ${shape} Elementen. ${name}. Pfeiltasten lesen Werte ab.`,
    row: "Zeile",
    scatterPlot: (count: string) => `Streudiagramm von ${count} Punkten`,
  },

  plate: {
    acquisition: "Aufnahme",
    all: "Alle",
    enlarge: (fields: number) => `Vergrößern Sie die Wells, um alle ${fields} Sichtfelder zu sehen.`,
    failedWells: (count: number) =>
      count === 1
        ? "1 davon konnte nicht vollständig gelesen werden."
        : `${count} davon konnten nicht vollständig gelesen werden.`,
    field: "Sichtfeld",
    heading: (count: number) => `Eine Platte mit ${count === 1 ? "1 Well" : `${formatCount(count)} Wells`}`,
    inView: (count: number) => (count === 1 ? "1 Well in der Ansicht." : `${count} Wells in der Ansicht.`),
    onePlane: "keine: es gibt eine Ebene",
    parts: "Teile wie field:0, acquisition:1 oder size:64",
    reading: "Die Wells werden gelesen …",
    size: "Größe der Wells",
    states: {
      read: () => "",
      empty: () => ", keine Bilder",
      failed: (why: string) => `, nicht lesbar: ${why}`,
      partial: (why: string) => `, zum Teil gelesen: ${why}`,
    },
    title: "Platte",
    tooLarge: "das Bild hat keine Auflösungsstufe, die klein genug für eine Platte ist",
    upTo: (name: string | number, last: number) => `${name}:0 bis ${name}:${last}`,
    well: (name: string) => `Well ${name}`,
    wells: "Wells",
  },

  publicData: {
    beechnut: ["Eine Buchecker im Computertomografen", "Ein Volumen aus einem CT-Scanner, als OME-Zarr 0.5."],
    blastocyst: [
      "Zellkerne einer Blastozyste",
      "Zwei Kanäle in 236 Ebenen eines Mausembryos, mit Labels (idr0062).",
    ],
    blastocyst5: [
      "Zellkerne einer Blastozyste, OME-Zarr 0.5",
      "Dasselbe Bild in Zarr v3, mit seinen Labels.",
    ],
    brain: [
      "Zellen eines menschlichen Gehirns",
      "Genexpression in einzelnen Zellen, mit einer UMAP, als AnnData.",
    ],
    chicken: [
      "Ein Hühnerembryo",
      "Maximumprojektion eines geklärten Embryos unter dem Lichtblattmikroskop (idr0066).",
    ],
    era5: [
      "ERA5, mit 1,5°",
      "Die Reanalyse des ECMWF, alle sechs Stunden von 1959 bis 2022, auf einem Gitter von 240 × 121.",
    ],
    era5Hourly: [
      "ERA5, mit 0,25°, stündlich",
      "Die Reanalyse, wie sie veröffentlicht ist, mit 37 Druckniveaus.",
    ],
    fire: ["Feuergefahr in Wäldern", "Modelliert für die Vereinigten Staaten."],
    five: ["Fünf Dimensionen", "Ein kleines Beispiel mit Zeit, Kanälen und drei Raumdimensionen."],
    forecast: ["Die heutige Wettervorhersage", "Das GFS der NOAA, weltweit mit 0,25°, laufend aktualisiert."],
    hela: [
      "Eine ganze Zelle im Elektronenmikroskop",
      "Eine HeLa-Zelle mit 4 nm, mit FIB-SEM: Tausende Ebenen in mehreren Auflösungen.",
    ],
    hela3: ["Eine andere HeLa-Zelle", "Dasselbe Verfahren mit 4 nm, eine andere Zelle."],
    intestine: [
      "Visium HD, Mausdarm",
      "Räumliche Transkriptomik: Bilder, Formen und Tabellen als SpatialData.",
    ],
    labels: ["Ein Bild mit Labels", "Ein kleines Beispiel für Labels über einem Bild."],
    liver: ["Lebergewebe", "Mausleber mit FIB-SEM."],
    plate: [
      "Eine Platte eines Screenings",
      "Wells und Sichtfelder einer Platte in fünf Kanälen (idr0033), als HCS.",
    ],
    plate2: ["Eine Platte eines Screenings, Zarr v2", "Spalthefe in den Wells einer Platte (idr0001)."],
    precipitation: [
      "Täglicher Niederschlag",
      "Das Global Precipitation Climatology Project mit 1°, 1996 bis 2021.",
    ],
    rain: [
      "Temperatur und Regen nach Monaten",
      "Eine Pyramide von Kartenkacheln für das Web, in sechs Auflösungen.",
    ],
    sea: ["Meeresoberflächentemperatur", "Die MUR-Analyse der NASA mit 1 km, täglich seit 2002."],
    weatherBench: ["WeatherBench 2", "ERA5 alle sechs Stunden mit 0,25°, zum Vergleich von Vorhersagen."],
    worm: [
      "Ein ganzer Wurm im Elektronenmikroskop",
      "Platynereis dumerilii in zehn Auflösungen, in der feinsten Terabytes.",
    ],
  },

  readout: {
    fill: "Füllwert: Der Chunk ist nicht gespeichert",
    hint: "Auf das Bild zeigen oder Pfeiltasten benutzen, um Werte abzulesen; ? listet alle Tasten auf.",
    label: "Label",
    level: (level: number) => `Stufe ${level}`,
    missing: "fehlt",
    noPoint: "kein Punkt",
    stored: (value: string) => `gespeichert ${value}`,
    touchHint: "Auf das Bild tippen, um Werte abzulesen; mit zwei Fingern zoomen.",
    unread: "noch nicht gelesen",
  },

  refresh: {
    tooMany: (count: number, most: number) =>
      `die Auswahl umfasst ${formatCount(count)} gespeicherte Objekte; aktualisieren Sie höchstens ${formatCount(most)} auf einmal`,
  },

  regions: {
    along: "Reihe entlang",
    computing: "Wird berechnet …",
    draw: "Region zeichnen",
    empty: "Die Region enthält kein Element des Arrays",
    facts: (mean: string, std: string, min: string, max: string, unit: string, count: string) =>
      `Mittel ${mean}${unit} · Std. ${std} · ${min} bis ${max} · n ${count}`,
    histogram: (name: string, low: string, high: string) => `Histogramm von ${name}, von ${low} bis ${high}`,
    holes: "Löcher von Polygonen werden gefüllt.",
    kinds: { point: "Punkt", line: "Linie", rectangle: "Rechteck", ellipse: "Ellipse", polygon: "Polygon" },
    label: (image: string, id: number) => `${image === "" ? "Label" : image} ${id}`,
    leftOut: (count: number, most: number) =>
      count === 0
        ? "Das Dokument hat keine Punkte, Linien oder Polygone."
        : `${count === 1 ? "1 Form kann" : `${formatCount(count)} Formen können`} keine Region sein: Regionen sind Punkte, Linien mit zwei Enden und Polygone mit bis zu 2000 Eckpunkten; eine Ansicht hat höchstens ${most}.`,
    lines: "die Linien (Profil)",
    longLine: (most: number) =>
      `Die Linie hat mehr als ${formatCount(most)} Elemente: Zeichnen Sie eine kürzere`,
    nameOf: (name: string) => `Name von ${name}`,
    noLabels: (name: string) => `Das Bild hat keine Labels ${name}`,
    notCounted: "Elemente außerhalb der Region und fehlende Werte zählen nicht",
    numbered: (number: number) => `Region ${number}`,
    ofLabels: "Ausgewählte Labels hinzufügen",
    open: "GeoJSON öffnen …",
    openHint: "Oder eine Datei hier ablegen oder GeoJSON hier einfügen",
    removeAll: "Alle entfernen",
    save: "Als GeoJSON speichern",
    saveCsv: "Als CSV speichern",
    title: "Regionen",
    tooLarge: (most: number) =>
      `Die Region hat mehr als ${formatCount(most)} Elemente: Zeichnen Sie eine kleinere`,
    tooLong: (bytes: number) => `mehr als ${formatCount(bytes)} Bytes`,
    unreadable: (why: string) => `Das GeoJSON ist nicht lesbar: ${why}.`,
  },

  related: {
    colormap: (name: string, why: string) => `Die Farbtabelle ${name} konnte nicht geladen werden: ${why}.`,
    failed: (subject: string, why: string) => `Nicht darstellbar – ${subject}: ${why}.`,
    labels: "Die Labels",
    labelsNamed: (name: string) => `Die Labels ${name}`,
    layers: "Die Layer",
    noLabels: "keine: das Bild hat keine Labels",
    points: "Die Punkte",
    positions: (why: string) =>
      `Die Positionen der Elemente konnten nicht gelesen werden: ${why}. Sie werden als gleich große Zellen gezeichnet.`,
    table: "Die Tabelle der Labels",
  },

  rows: {
    clear: "Auswahl aufheben",
    colorMap: "Farbtabelle der Spalte",
    counts: (rows: number, selected: number) =>
      `${formatCount(rows)} Zeilen, ${formatCount(selected)} ausgewählt`,
    failed: (reason: string) => `Die Zeilen konnten nicht gelesen werden: ${reason}.`,
    grid: (rows: number, columns: number) =>
      `${formatCount(rows)} Zeilen mit ${formatCount(columns)} Spalten`,
    none: "Keine",
    reading: "Wird gelesen …",
    row: "Zeile",
    size: "Größe der Punkte",
    sizeHint: "automatisch",
    title: "Tabelle",
    unfold: "Zeilen",
  },

  series: {
    element: "Element",
    step: (axis: string) => `Schritt entlang ${axis}`,
    values: (axis: string, unit: string) => `${axis} · Werte in ${unit}`,
  },

  settings: {
    another: "ein anderer Wert",
    at: "Zeile, Spalte und Pixel pro Element, und wahlweise die Mitte entlang der dritten Achse",
    axes: "die Namen oder Nummern zweier Achsen, etwa y,x",
    axis: "die Nummer einer Achse, oder none",
    between: (least: number | string, most: number | string) => `${least} bis ${most}`,
    channels: "eine Liste wie 0:00ff00:auto von Kanälen des Arrays, oder none",
    clip: "Anfang:Ende entlang x, y und z, etwa 0:100,20:80,0:64",
    colormap: (names: string) => `${names} und andere, oder eine Liste von Farben wie #000000,#ffffff`,
    column: "der Name einer Spalte, oder gene:NAME",
    columnMap: "eine Farbtabelle, wie für colormap",
    curve: "2 bis 16 aufsteigende Anteile des Bereichs, je mit ihrer Deckkraft, etwa 0/0;0.5/0.1;1/1",
    cut: "Gierwinkel, Nickwinkel und Tiefe von -1 bis 1, etwa 30,20,0",
    either: (one: string, other: string) => `${one} oder ${other}`,
    field: "der Name eines Felds",
    flat: (isLine: boolean) =>
      `das Array hat ${isLine ? "eine Dimension" : "zwei Dimensionen"}, und Volumen brauchen drei`,
    index: "ein Index für jede Achse",
    labels: "bis zu 64 Labels wie 3,5, oder none",
    latitude: "eine Breite in Grad, oder none",
    layers: (kinds: string) =>
      `Layer mit src, kind (${kinds}), opacity (0 bis 1), blend (normal, add), visible (yes, no), scale, translate, colormap, range, color (#rrggbb), size, by, outlines (yes, no), hide und pick (Labels)`,
    lines: "graticule, coasts, beide, oder none",
    longitude: "eine Länge in Grad, oder none",
    more: "ein JSON-Objekt",
    number: "eine Zahl, oder none",
    orbit: "Gierwinkel, Nickwinkel und Zoom, etwa 30,20,1",
    planes: "xy und beliebige von xz, yz und volume, eines Arrays mit drei oder mehr Achsen",
    range: "low:high, auto, minmax oder percentile",
    rangeObject: '{ mode: "manual", low, high }, oder der Modus auto, minmax oder percentile',
    regions:
      "Regionen wie Lake=rectangle@1,2:10,20,30,40, der Arten point, line, rectangle, ellipse und polygon",
    sample: (most: number) => `auto, none, oder 0 bis ${most} MiB`,
    select: "ein Index, : oder Anfang:Ende für jede Achse, etwa 4,:,100:200",
    size: (most: number) => `0 bis ${most} CSS-Pixel`,
    slices: (names: string) => `beliebige von ${names}`,
    steps: (most: number) => `0, oder 2 bis ${most}`,
    unfit: (setting: string, shape: string, nearest: string) =>
      `${setting} passt nicht zum Array der Form [${shape}]; gezeigt wird ${nearest}`,
    unusable: (setting: string, why: string) => `${setting} ist nicht verwendbar: ${why}`,
  },

  sharing: {
    codeCopied: (language: string) => `${language}-Code für diese Ansicht in die Zwischenablage kopiert.`,
    copyAs: (language: string) => `Als ${language} kopieren`,
    figure: "Abbildung …",
    link: "Link kopieren",
    linkCopied: "Link in die Zwischenablage kopiert.",
    manual: "Text zum Kopieren",
    noClipboard: "Diese Seite kann die Zwischenablage nicht benutzen: Kopieren Sie den Text unten.",
    onlyHere: "Dieser Speicher existiert nur in dieser Seite; ein Programm kann ihn nicht lesen.",
    png: "PNG speichern",
    saved: (name: string) => `${name} ist gespeichert.`,
  },

  slices: {
    frameRate: "Abspielen",
    inC: "Chunks in C-Reihenfolge lesen, wie zarr-python 1.x sie schrieb",
    index: (axis: string) => `Index entlang ${axis}`,
    more: (axes: number) => `${axes} weitere Achsen`,
    play: (axis: string) => `Entlang ${axis} abspielen`,
    rate: (slices: number) => (slices === 1 ? "1 Schicht pro Sekunde" : `${slices} Schichten pro Sekunde`),
    stop: (axis: string) => `Abspielen entlang ${axis} anhalten`,
  },

  sources: {
    array: "Array",
    arrays: (count: number, used: number) =>
      `Die Gruppe hat ${formatCount(count)} Arrays, von denen hier die ersten ${used} aufgelistet sind.`,
    asStored: (problem: string) => `${problem} Die Werte werden gezeigt, wie sie gespeichert sind.`,
    contains: "Dieser Ordner ist kein Zarr-Knoten, enthält aber welche.",
    coordinates: (why: string) => `Koordinaten konnten nicht gelesen werden: ${why}.`,
    coordinatesOf: (name: string, why: string) =>
      `Koordinaten von ${name} konnten nicht gelesen werden: ${why}.`,
    filled: (name: string) =>
      `Eine Koordinate von ${name} gleicht ihrem Füllwert. Koordinaten können nicht fehlen, daher wird sie benutzt.`,
    kinds: {
      dataset: "Datensatz",
      group: "Gruppe",
      image: "Bild mit Auflösungsstufen",
      images: "Reihe von Bildern",
      labels: "Gruppe von Labels",
      levels: "Pyramide",
      plate: "Platte",
      well: "Well",
    },
    levels: (count: number, used: number) =>
      `Das Bild hat ${formatCount(count)} Auflösungsstufen, von denen die ersten ${used} benutzt werden.`,
    missing: (name: string, count: number) =>
      count === 1
        ? `Eine Koordinate von ${name} fehlt.`
        : `${formatCount(count)} Koordinaten von ${name} fehlen.`,
    noPlate: "keine: die Quelle ist keine Platte",
    noVariable: "keine: es gibt keine",
    noVariables: "keine: die Quelle hat keine Variablen",
    overPicture: (isPoints: boolean, path: string) =>
      `${isPoints ? "Punkte" : "Formen"} werden über ein Bild gezeichnet: Öffnen Sie ein Bild und fügen Sie ${path === "" ? "diese Adresse" : `den Pfad ${path}`} in seinem Bereich „Layer“ oder als <zarr-layer> hinzu.`,
    unshown: (kind: string, why: string) => `Nicht darstellbar als ${kind}: ${why}.`,
  },

  status: {
    chunks: (count: number, formatted: string) => (count === 1 ? "1 Chunk" : `${formatted} Chunks`),
    leftOut: (tiles: string, all: string) =>
      `${tiles} von ${all} Kacheln der Ansicht überschreiten das Speicherbudget und werden nicht gelesen. Vergrößern Sie, um sie zu sehen.`,
    middle: (chunks: string, bytes: string) =>
      `Dies ist die Mitte einer Schicht von ${chunks} (dekodiert ${bytes}).`,
    moreDamaged: (count: number) => `${formatCount(count)} weitere konnten nicht gelesen werden.`,
    moreNotes: (count: string) => `Weitere Hinweise: ${count}.`,
    notes: "Hinweise",
    order:
      "Die Metadaten nennen die Reihenfolge F, aber zarr-python 1.x schrieb Chunks dieses Kompressors in C-Reihenfolge. Sie werden in F-Reihenfolge gelesen, wie angegeben; sieht das Bild durcheinander aus, versuchen Sie C.",
    readAll: "Ganze Schicht lesen",
    readInC: "In C-Reihenfolge lesen",
    reading: (chunks: string) => `${chunks}: Wird gelesen …`,
    retry: "Erneut versuchen",
  },

  table: {
    label: (rows: string, columns: number) => `${rows} Zeilen mit ${columns} Spalten`,
    part: (first: number, last: number, length: number) => `${first}–${last} von ${length}`,
    size: (rows: string, columns: number) => `${rows} Zeilen, ${columns} Spalten`,
    title: (down: string, across: string | undefined) =>
      across === undefined ? `Nach unten ${down}` : `Nach unten ${down}; nach rechts ${across}`,
    value: "Wert",
    values: "Werte",
  },

  tabs: {
    image: "Bild",
    layers: "Layer",
    axes: "Achsen",
    measure: "Messen",
    share: "Teilen",
  },

  tools: {
    find: "Einstellung suchen",
    findKey: "Strg+K",
    fit: "Alles",
    fitSlice: "Ganze Schicht einpassen",
    full: "Vollbild",
    help: "Tasten und Gesten",
    in: "Vergrößern",
    measure: "Abstand messen",
    noFull: "Diese Seite darf den Bildschirm nicht füllen",
    out: "Verkleinern",
    pan: "Verschieben",
    pick: "Element wählen",
    save: "Als PNG speichern",
    saved: (name: string) => `${name} ist gespeichert`,
    title: "Werkzeug",
    touch: "Bild mit zwei Fingern verschieben",
    wheel: (isApple: boolean) => `Zum Zoomen ${isApple ? "⌘" : "Strg"} beim Drehen des Mausrads halten`,
    zoom: "In ein Rechteck zoomen",
  },

  tree: {
    choose: "Wählen Sie ein Array, um es anzusehen, oder eine Gruppe, um sie zu öffnen.",
    count: (members: number) => (members === 1 ? "1 Mitglied" : `${formatCount(members)} Mitglieder`),
    empty: "In dieser Gruppe wurde nichts gefunden.",
    find: "Nach Namen suchen",
    findMembers: "Mitglieder nach Namen suchen",
    folder: "Ein Ordner mit Zarr-Knoten",
    group: "Eine Gruppe",
    groupOf: (kind: string) => `Eine Gruppe: ${kind}`,
    looking: "Wird gelesen …",
    members: "Mitglieder",
    membersOf: (name: string) => `Mitglieder von ${name}`,
    unreadable: "nicht lesbar",
  },

  unusable: {
    others: (names: string, others: number) => `${names} und ${formatCount(others)} weitere`,
    value: (setting: string, expected: string) => `${setting} ist nicht verwendbar; erwartet: ${expected}`,
  },

  values: {
    auto: "Automatisch",
    center: "Wert in der Mitte",
    centerHint: "0, wenn enthalten",
    continuous: "stufenlos",
    counts: (factor: number, unit: string | undefined) => `Anzahl von ${factor} ${unit}`,
    countsSince: (factor: number, unit: string | undefined) => `Anzahl von ${factor} ${unit} seit 1970`,
    field: "Feld",
    gamma: "Gamma",
    highest: "Höchster Wert",
    interpolate: "Zwischen Elementen interpolieren",
    kinds: { sequential: "Sequenziell", diverging: "Divergierend", cyclic: "Zyklisch" },
    labels: "Labels (je eine Farbe)",
    linear: "Linear",
    log: "Logarithmisch",
    logCounts: "Logarithmische Häufigkeiten",
    lowest: "Niedrigster Wert",
    manual: "Manuell",
    minmax: "Minimum bis Maximum",
    missing: "Nicht gespeicherte Chunks kennzeichnen",
    more: "Weitere Farbeinstellungen",
    outside: "Werte außerhalb des Bereichs kennzeichnen",
    own: "Eigene Farben",
    part: "Teil",
    percentile: "1. bis 99. Perzentil",
    range: "Wertebereich",
    rawDates: "Rohwerte, ohne Datumsangaben",
    rawNumbers: "Rohwerte, ohne Skalierung, Versatz und fehlende Werte",
    reversed: "Umgekehrt",
    scale: "Skala der Farben",
    slices: "Bereich für jede Schicht bestimmen",
    steps: "Farbstufen",
    symlog: "Logarithmisch beiderseits von 0",
    theValues: "die Werte",
    title: "Werte",
  },

  view: {
    name: "Ansicht",
    panes: "Teilansichten",
    plane: "Ebene",
    title: "Variable und Ansicht",
    volume: "Volumen",
  },

  volume: {
    across: (axis: string) => `quer zu ${axis}`,
    clipBox: "Teil des Volumens",
    clipEnd: (end: 0 | 1, axis: string) =>
      `${end === 0 ? "Erster" : "Letzter"} gezeichneter Index entlang ${axis}`,
    clipRange: (first: number, last: number) => `${first} bis ${last}`,
    cut: "Parallel zum Bildschirm schneiden",
    cutDepth: "Tiefe des Schnitts",
    description: (shape: string) =>
      `Volumen von ${shape} Elementen. Pfeiltasten drehen es, Plus und Minus zoomen, Eingabe wendet das Werkzeug auf das Element in der Mitte an.`,
    failed: (reason: string) => `Das Volumen kann nicht angezeigt werden: ${reason}.`,
    levels: (level: number, count: number) => `Stufe ${level} von ${count}`,
    modes: {
      max: "Maximum",
      min: "Minimum",
      mean: "Mittelwert",
      composite: "Durchscheinend",
      surface: "Oberfläche",
    },
    picture: "Bild eines Volumens",
    range: (low: string, high: string) => `${low} bis ${high}`,
    ray: "Entlang jedes Strahls",
    scaleAtCentre: (length: string) => `${length} in der Mitte`,
    slices: "Schichten im Inneren",
    stretch: (axis: string, factor: number) => `${axis} × ${factor} strecken`,
    theCut: "der Schnitt",
    title: "Schnitte und Schichten des Volumens",
  },
};

export default german;
