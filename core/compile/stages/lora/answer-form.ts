import { DomainError } from '../../../kernel/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { readJsonSchema } from '../../../model/generation/constraints/json-schema.ts'
import { valueText } from '../../../model/training/prompt.ts'
import { inferSchema } from './infer-schema.ts'
import type { LoraConstraint, LoraRecipe } from './lora-recipe.ts'

/** Type of the answers, and their constraint. */
export type AnswerForm = Pick<LoraRecipe, 'output' | 'constraint'>

/**
 * The form of the answers, from the outputs of the train rows: one of the labels where outputs are labels, JSON of the
 * shape that they share, or free text. Null when some outputs are texts and others are not.
 */
export function answerForm(outputs: readonly Json[]): AnswerForm | null {
  const texts = outputs.filter((output) => typeof output === 'string').length
  const labels = labelsOf(outputs)
  if (labels !== null) return { output: texts === outputs.length ? 'text' : 'json', constraint: labels }
  if (texts === outputs.length) return { output: 'text', constraint: null }
  if (texts > 0) return null
  return { output: 'json', constraint: schemaConstraint(outputs) }
}

/** The labels as a constraint; null when they are none, or two of them read the same. */
function labelsOf(outputs: readonly Json[]): LoraConstraint | null {
  const task = detectLabelTask(outputs)
  if (!task.applicable) return null
  const texts = new Set(task.labels.map(valueText))
  return texts.size < task.labels.length || texts.has('') ? null : { type: 'labels', labels: [...task.labels] }
}

function schemaConstraint(outputs: readonly Json[]): LoraConstraint | null {
  const schema = inferSchema(outputs)
  if (schema === null) return null
  try {
    readJsonSchema(schema)
    return { type: 'json-schema', schema }
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
