import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'

/** A way in which an answer is wrong. `expected` and `got` are short texts. */
export interface FailureKind {
  readonly name:
    | 'abstained'
    | 'no_answer'
    | 'taken_for'
    | 'missing'
    | 'added'
    | 'wrong_member'
    | 'other_type'
    | 'other_case'
    | 'other_spaces'
    | 'cut_short'
    | 'too_much'
    | 'check'
  readonly path?: string
  readonly expected?: string
  readonly got?: string
}

/** Characters of an output that counts as a label. */
const LABEL_CHARS = 64

/** Returns the ways in which an answer differs from the expected output; none for an answer that equals it. */
export function kindsOf(expected: Json, got: Json): readonly FailureKind[] {
  if (isJsonObject(expected) && isJsonObject(got)) return membersOf(expected, got, '')
  if (got === null && expected !== null) return [{ name: 'no_answer', expected: 'null' }]
  if (typeOf(expected) !== typeOf(got)) return [{ name: 'other_type', expected: typeOf(expected), got: typeOf(got) }]
  const kinds: FailureKind[] = []
  const [one, other] = [labelOf(expected), labelOf(got)]
  if (one !== null && other !== null && one !== other) kinds.push({ name: 'taken_for', expected: one, got: other })
  return typeof expected === 'string' && typeof got === 'string' ? [...kinds, ...formOf(expected, got)] : kinds
}

function membersOf(
  expected: { readonly [name: string]: Json },
  got: { readonly [name: string]: Json },
  path: string,
): readonly FailureKind[] {
  const kinds: FailureKind[] = []
  for (const [name, value] of Object.entries(expected)) {
    const place = `${path}/${name}`
    const given = got[name]
    if ((given === undefined || given === null) && value !== null) kinds.push({ name: 'missing', path: place })
    else if (JSON.stringify(given) !== JSON.stringify(value)) kinds.push({ name: 'wrong_member', path: place })
  }
  for (const [name, given] of Object.entries(got)) {
    if (given !== null && (expected[name] === undefined || expected[name] === null))
      kinds.push({ name: 'added', path: `${path}/${name}` })
  }
  return kinds
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}

function labelOf(value: Json): string | null {
  if (typeof value === 'object') return null
  const text = String(value)
  return text.length <= LABEL_CHARS ? text : null
}

function formOf(expected: string, got: string): readonly FailureKind[] {
  if (expected === got) return []
  const spaceless = (text: string): string => text.replaceAll(/\s+/g, '')
  if (expected.toLowerCase() === got.toLowerCase()) return [{ name: 'other_case' }]
  if (spaceless(expected) === spaceless(got)) return [{ name: 'other_spaces' }]
  if (got !== '' && expected.includes(got)) return [{ name: 'cut_short' }]
  if (expected !== '' && got.includes(expected)) return [{ name: 'too_much' }]
  return []
}

/** Returns a kind in words. */
export function kindInWords({ name, path = '', expected = '', got = '' }: FailureKind): string {
  switch (name) {
    case 'abstained':
      return 'the recipe abstained'
    case 'no_answer':
      return expected === 'null' ? 'the answer is null' : 'there is no answer'
    case 'taken_for':
      return `“${expected}” is answered “${got}”`
    case 'missing':
      return `${path} is missing in the answer`
    case 'added':
      return `${path} is in the answer, though the expected output has none`
    case 'wrong_member':
      return `${path} of the answer is wrong`
    case 'other_type':
      return `the answer is a ${got} in place of a ${expected}`
    case 'other_case':
      return 'the answer differs in capital letters only'
    case 'other_spaces':
      return 'the answer differs in white space only'
    case 'cut_short':
      return 'the answer is a part of the expected output'
    case 'too_much':
      return 'the answer holds the expected output and more'
    case 'check':
      return `the answer fails the check ${expected}${path === '' ? '' : ` at ${path}`}`
  }
}
