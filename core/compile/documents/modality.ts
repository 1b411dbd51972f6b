/** Kinds of documents. */
export const MODALITIES = [
  'text',
  'markdown',
  'code',
  'html',
  'pdf',
  'office',
  'image',
  'audio',
  'video',
  'binary',
] as const
export type Modality = (typeof MODALITIES)[number]

/** Kinds whose text is extracted. */
export const EXTRACTED: ReadonlySet<Modality> = new Set(['text', 'markdown', 'code', 'html', 'pdf', 'office'])

const BY_ENDING: Readonly<Record<Exclude<Modality, 'binary'>, string>> = {
  text: 'txt text log csv tsv json jsonl ndjson yaml yml toml ini cfg conf xml tex bib srt vtt eml po properties',
  markdown: 'md markdown mdx rst adoc asciidoc org',
  code: 'ts tsx js jsx mjs cjs py rb go rs java kt kts c h cc cpp cxx hpp cs swift php pl lua r jl scala clj ex exs erl hs ml sql sh bash zsh fish ps1 bat css scss less vue svelte proto graphql tf dockerfile makefile gradle groovy dart nim zig',
  html: 'html htm xhtml',
  pdf: 'pdf',
  office: 'docx pptx xlsx odt odp ods rtf',
  image: 'png jpg jpeg gif webp bmp tif tiff heic avif ico svg',
  audio: 'mp3 wav flac ogg oga opus m4a aac',
  video: 'mp4 mov mkv webm avi m4v mpg mpeg',
}

const ENDINGS: ReadonlyMap<string, Modality> = new Map(
  (Object.keys(BY_ENDING) as (keyof typeof BY_ENDING)[]).flatMap((modality) =>
    BY_ENDING[modality].split(' ').map((ending) => [ending, modality] as const),
  ),
)

/** Beginnings of files whose kind they show, as Latin-1; the first that fits counts. */
const BEGINNINGS: readonly (readonly [beginning: RegExp, modality: Modality])[] = [
  [/^%PDF-/, 'pdf'],
  [/^PK\p{Cc}\p{Cc}/u, 'office'],
  [/^\{\\rtf/, 'office'],
  [/^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF....WEBP|^BM|^II\*\0|^MM\0\*/s, 'image'],
  [/^ID3|^\xff[\xfb\xf3\xf2]|^RIFF....WAVE|^fLaC|^OggS/s, 'audio'],
  [/^....ftyp|^\p{Cc}E\xdf\xa3|^RIFF....AVI /su, 'video'],
]

const HEAD_BYTES = 1024

/** Returns the ending of a file's name in lower case, the whole name for one without a dot, such as `Makefile`. */
export function endingOf(name: string): string {
  const file = name.split(/[/\\]/).at(-1) ?? ''
  return file.slice(file.lastIndexOf('.') + 1).toLowerCase()
}

/**
 * Returns the kind of a file by its name, corrected by its first bytes: what begins like a PDF or a picture is one whatever
 * its name, and text with a zero byte that is not UTF-16 is none. A zip counts as an office file only by its name.
 */
export function modalityOf(name: string, bytes: Uint8Array): Modality {
  const named = ENDINGS.get(endingOf(name))
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1')
  const shown = BEGINNINGS.find(([beginning]) => beginning.test(head))?.[1]
  if (shown === 'office' && named !== 'office') return head.startsWith('PK') ? 'binary' : 'office'
  // An office file whose beginning is wrong is left to its reader, which says what is wrong.
  if (shown !== undefined || named === 'office' || named === 'pdf') return shown ?? named ?? 'binary'
  if (named === 'image' || named === 'audio' || named === 'video') return named
  const isWide = /^(?:\xff\xfe|\xfe\xff)/.test(head)
  if (head.includes('\0') && !isWide) return 'binary'
  return named ?? 'text'
}
