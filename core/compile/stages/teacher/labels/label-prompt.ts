import type { OutputSchema, ProviderMessage } from '../../../../gateway/providers/provider.ts'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import type { OutputType } from '../../verifier/verifier-types.ts'
import type { Row } from '../../../rows/task.ts'
import { rowLines } from '../show-rows.ts'

/** Maximum number of labels in a schema; beyond it only the prompt lists the allowed answers. */
const MAX_LISTED_LABELS = 200

function answerSchema(answer: JsonObject): OutputSchema {
  return {
    name: 'answer',
    schema: { type: 'object', properties: { answer }, required: ['answer'], additionalProperties: false },
  }
}

/** Returns the schema of an answer, if the outputs of the train rows determine it and strict modes can express it. */
export function labelSchema(output: OutputType): OutputSchema | undefined {
  switch (output.type) {
    case 'label': {
      const texts = output.labels.filter((label) => typeof label === 'string')
      const isListed = texts.length === output.labels.length && texts.length <= MAX_LISTED_LABELS
      return isListed ? answerSchema({ type: 'string', enum: texts }) : undefined
    }
    case 'boolean':
      return answerSchema({ type: 'boolean' })
    case 'number':
      return answerSchema({ type: 'number' })
    case 'text':
    case 'date':
    case 'extraction':
      return answerSchema({ type: 'string' })
    case 'object':
    case 'list':
    case 'mixed':
      return undefined
  }
}

function answersText(output: OutputType): string {
  if (output.type !== 'label') return ''
  return `\n\nThe answer is one of: ${output.labels.map((label) => JSON.stringify(label)).join(', ')}`
}

/** Common part of all questions about a job's unlabelled inputs. */
export interface LabelTask {
  readonly task: string
  readonly output: OutputType
  /** Train rows shown in the prompt. */
  readonly shown: readonly Row[]
}

/** The messages that ask for the answer to one input; `grounding` is text of passages for it, or empty. */
export function labelPrompt(
  { task, output, shown }: LabelTask,
  input: Json,
  grounding: string,
): readonly ProviderMessage[] {
  const passages = grounding === '' ? '' : `\n\n${grounding}`
  const examples = shown.length === 0 ? '' : `\n\nExamples, input -> output:\n${rowLines(shown)}`
  return [
    {
      role: 'system',
      text: `You do one task on one input. Answer with one JSON object {"answer": ...} that holds the output for the input, and nothing else.\n\nTask: ${task}${answersText(output)}${examples}${passages}`,
    },
    { role: 'user', text: `Input: ${JSON.stringify(input)}` },
  ]
}
