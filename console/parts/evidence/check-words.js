import { formatWord } from '../format.js'

/**
 * Words for failed checks of an answer, by the name of the check: its kind, or its id without the place.
 *
 * @type {Readonly<Record<string, string>>}
 */
const WORDS = {
  type: 'another type',
  one_of: 'a value that no example has',
  integer: 'a number with a fraction',
  range: 'a number out of range',
  length: 'an unusual length',
  shape: 'an unusual form',
  shape_exact: 'an unusual form',
  shape_loose: 'an unusual form',
  characters: 'unusual characters',
  members: 'other members',
  items: 'an unusual number of items',
  copied: 'text that is not in the input',
  copied_folded: 'text that is not in the input',
  copied_words: 'words that are not in the input',
  copied_characters: 'characters that are not in the input',
  numbers_kept: 'other numbers than the input',
  numbers_from_input: 'numbers that are not in the input',
  numbers_all_kept: 'not all numbers of the input',
  familiar: 'unfamiliar text',
  not_output: 'a value that the rows mark as wrong',
}

/**
 * Returns failed checks of an answer in words; one that this version does not know by its name.
 *
 * @param {readonly { name: string, path?: string }[]} checks
 * @returns {string} empty without any
 */
export function failedInWords(checks) {
  const words = checks.map(({ name, path = '' }) => {
    const text = Object.hasOwn(WORDS, name) ? WORDS[name] : `a failed check (${formatWord(name)})`
    return path === '' ? text : `${text} at ${path}`
  })
  return words.length === 0 ? '' : `the answer has ${[...new Set(words)].join(', ')}`
}
