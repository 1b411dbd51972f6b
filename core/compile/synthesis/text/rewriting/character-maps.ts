import type { Expr } from '../../../language/ast.ts'
import { itemVariable } from '../../lists/items.ts'
import { escapeRegex, literal, lookup } from '../../search/build.ts'
import { replacing, rewriteBy, type Rewrite } from './rewrite.ts'
import { costOf } from '../../ranking/cost.ts'

const MAX_CHARACTERS = 40
const MIN_ROWS = 3
/** Occurrences of each changed character on average, from which a table of them shows more than its rows. */
const PLACES_PER_CHARACTER = 2
const VOWELS = /^[aeiou]$/iu
const LETTER = /\p{L}/u

/** The character that each one becomes, and the places at which some character changes. */
interface CharacterMap {
  readonly characters: ReadonlyMap<string, string>
  readonly changedPlaces: number
}

/** Reads texts and outputs place by place; undefined where their lengths differ or a character becomes two others. */
function characterMap(texts: readonly (string | undefined)[], outputs: readonly string[]): CharacterMap | undefined {
  const characters = new Map<string, string>()
  let changedPlaces = 0
  for (const [row, text] of texts.entries()) {
    const from = Array.from(text ?? '')
    const to = Array.from(outputs[row] ?? '')
    if (from.length === 0 || from.length !== to.length) return undefined
    for (const [at, character] of from.entries()) {
      const other = to[at] ?? ''
      if ((characters.get(character) ?? other) !== other) return undefined
      characters.set(character, other)
      if (characters.size > MAX_CHARACTERS) return undefined
      if (character !== other) changedPlaces++
    }
  }
  return { characters, changedPlaces }
}

/** True where the changed letters are vowels, and no vowel stays. */
function areVowels(changed: readonly string[], kept: readonly string[]): boolean {
  return changed.length > 1 && changed.every((one) => VOWELS.test(one)) && !kept.some((one) => VOWELS.test(one))
}

function replaced(characters: string, by: string): Rewrite['build'] {
  const regex = `[${Array.from(characters, escapeRegex).join('')}]`
  return (text) => replacing(text, { kind: 'regex', regex }, by)
}

/** Every character by a table: one without an entry stays, where some do, and has no answer otherwise. */
function tabled(
  cases: readonly { readonly key: string; readonly value: string }[],
  someStay: boolean,
): Rewrite['build'] {
  const { name, expr } = itemVariable(0)
  const body: Expr = { ...lookup(expr, cases), ...(someStay ? { default: expr } : {}) }
  return (text) => ({
    op: 'join',
    list: { op: 'map', list: { op: 'chars', text }, as: name, body },
    separator: literal(''),
  })
}

/**
 * Replaces characters one by one, where every row shows the same replacements: all vowels by a mark, several characters by
 * one, or each by its own.
 */
export function characterRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  const map = outputs.length < MIN_ROWS ? undefined : characterMap(texts.slice(0, outputs.length), outputs)
  if (map === undefined) return []
  const changed = [...map.characters].filter(([from, to]) => from !== to)
  const kept = [...map.characters].filter(([from, to]) => from === to).map(([from]) => from)
  const targets = new Set(changed.map(([, to]) => to))
  const sources = changed.map(([from]) => from)
  const [target = ''] = targets
  if (changed.length === 0) return []
  if (targets.size === 1 && areVowels(sources, kept)) {
    const vowels = sources.some((one) => one === one.toUpperCase()) ? 'aeiouAEIOU' : 'aeiou'
    return [rewriteBy(costOf('mask.vowel'), replaced(vowels, target))]
  }
  // A letter case changes every letter, also those that the rows do not show.
  if (changed.some(([from, to]) => from.toLowerCase() === to.toLowerCase())) return []
  if (map.changedPlaces < changed.length * PLACES_PER_CHARACTER) return []
  if (targets.size === 1 && changed.length > 1) {
    const cost = costOf('characterMap').with('characterMap.entry', changed.length)
    return [rewriteBy(cost, replaced(sources.join(''), target))]
  }
  if (changed.length < 2) return []
  const someStay = kept.some((one) => LETTER.test(one)) || !sources.some((one) => LETTER.test(one))
  const cases = [...map.characters]
    .filter(([from, to]) => from !== to || !someStay)
    .map(([key, value]) => ({ key, value }))
  const cost = costOf('characterMap').with('characterMap.entry', cases.length)
  return [rewriteBy(cost, tabled(cases, someStay))]
}
