/** The words of a text that lists them separated by white space. */
export const words = (list: string): readonly string[] => list.trim().split(/\s+/)

/** The phrases of a text that lists them separated by commas. */
export const phrases = (list: string): readonly string[] =>
  list
    .split(',')
    .map((phrase) => phrase.trim().replaceAll(/\s+/g, ' '))
    .filter((phrase) => phrase.length > 0)
