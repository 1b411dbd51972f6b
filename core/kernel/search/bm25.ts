/** Constants of BM25: the saturation of repeated words, and the weight of the length of a text. */
export const BM25 = { saturation: 1.5, byLength: 0.75 } as const

/** Returns the weight of a word that `held` of `texts` texts hold: rare words say more (Robertson and Zaragoza 2009, 3.2). */
export function wordWeight(texts: number, held: number): number {
  return Math.log(1 + (texts - held + 0.5) / (held + 0.5))
}

/** A text as far as one word of a query counts in it. */
export interface WordInText {
  /** Occurrences of the word in the text. */
  readonly count: number
  /** Words of the text. */
  readonly length: number
  /** Mean words of all texts. */
  readonly averageLength: number
}

/** Returns what a word adds to the score of a text for each unit of its weight: BM25 (Robertson and Zaragoza 2009, 3.15). */
export function wordScore({ count, length, averageLength }: WordInText): number {
  const { saturation, byLength } = BM25
  return (count * (saturation + 1)) / (count + saturation * (1 - byLength + byLength * (length / averageLength)))
}
