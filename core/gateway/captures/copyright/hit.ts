/** Subjects of a hit of the copyright heuristic. */
export const COPYRIGHT_KINDS = ['character', 'song_title', 'code_copyright', 'spdx'] as const
/** One of them. */
export type CopyrightKind = (typeof COPYRIGHT_KINDS)[number]

/** Where a hit stands: in the prompt or the response of a capture, or in a text by itself. */
export const COPYRIGHT_SIDES = ['input', 'output', 'text'] as const

/** A name, a title or a notice that the copyright heuristic found. */
export interface CopyrightHit {
  readonly kind: CopyrightKind
  /** As it stands in the text. */
  readonly match: string
  /** Place of its first character. */
  readonly at: number
  readonly side: (typeof COPYRIGHT_SIDES)[number]
}
