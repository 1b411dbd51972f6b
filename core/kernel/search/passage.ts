/** A part of a passage: sentences, a row of a table, or commands. */
export interface PassageBlock {
  readonly kind: 'prose' | 'row' | 'code'
  /** In Markdown without links. */
  readonly text: string
}

/** A section of a documentation. */
export interface Passage {
  /** Where it can be read; null for what is on no page. */
  readonly url: string | null
  /** Of its page. */
  readonly title: string
  readonly heading: string
  readonly blocks: readonly PassageBlock[]
}
