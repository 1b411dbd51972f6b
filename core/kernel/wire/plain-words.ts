import type { z } from 'zod'

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  nan: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'absent',
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', object: 'members' }

/** Returns the message of a schema's issue; each completes the sentence "the field …". */
export function plainWords(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `has members that are not known: ${issue.keys.join(', ')}`
    case 'invalid_format':
      return `must have the form ${issue.format === 'regex' ? (issue.pattern ?? 'asked for') : issue.format}`
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_union':
    case 'custom':
      return 'has none of the forms that are accepted'
  }
}

function bound(origin: string, comparison: string, value: number | bigint): string {
  const unit = UNITS[origin]
  if (unit === undefined) return `must be ${comparison} ${value}`
  if (comparison === 'at least' && value === 1) return 'must not be empty'
  return `must have ${comparison} ${value} ${unit}`
}
