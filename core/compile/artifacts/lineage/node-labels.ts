import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { formatCount } from '../../wire/facts/numbers.ts'

/** Returns what a piece of evidence is, in a few words. */
export function labelOf({
  id,
  type,
  facts,
}: {
  readonly id: string
  readonly type: string
  readonly facts: JsonObject
}): string {
  const [prefix = '', name = ''] = id.split(':')
  switch (type) {
    case 'dataset':
      return datasetLabel(name, facts)
    case 'chain':
      return `chain of ${countOf(facts['count'], 'capture')} in ${textOf(facts['namespace'])}`
    case 'model':
      return `base model ${textOf(facts['base_model'])}`
    case 'training':
      return `training by ${textOf(facts['trainer'])}`
    case 'teacher':
      return `${countOf(facts['samples'], 'sample')} of ${textOf(facts['provider'])}`
    case 'recipe':
      return `recipe (${textOf(facts['recipe_kind'])})`
    case 'eval':
      return 'evaluation'
    case 'policy':
      return name === 'gate' ? `floor of ${textOf(facts['k_score_floor'])}` : 'verifier'
    case 'runtime':
      return `runtime ${textOf(facts['version'])}`
    case 'signature':
      return `signature by key ${textOf(facts['kid']).slice(0, 12)}`
    default:
      return prefix
  }
}

function datasetLabel(name: string, facts: JsonObject): string {
  const rows = facts['rows']
  if (name === 'train') return `${countOf(rows, 'row')} to learn from`
  if (name === 'holdout') return `${countOf(rows, 'scored row')}`
  if (name === 'captures') return `${countOf(rows, 'capture')} of ${textOf(facts['namespace'])}`
  return countOf(rows, 'example')
}

function countOf(value: Json | undefined, noun: string): string {
  return typeof value === 'number' ? formatCount(value, noun) : `${noun}s`
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown'
}
