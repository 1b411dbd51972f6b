import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../core/tenancy/limits.ts'
import { GivenConceptId } from '../schemas/ids.ts'
import { textUpTo } from '../schemas/text.ts'

/** The base models that the service knows; decision 16 of the project keeps `none` always known. */
export const KNOWN_BASE_MODELS: readonly string[] = ['none']

/** Namespaces of captured traffic that the service knows: it captures none yet. */
const KNOWN_NAMESPACES: readonly string[] = []

export const Task = textUpTo(DEFAULT_LIMITS.task_chars).meta({
  description: 'What the artifact is to do, in words',
  example: 'Write a phone number in the form +44 20 7946 0000',
})

const BaseModel = z
  .string()
  .refine((name) => KNOWN_BASE_MODELS.includes(name), {
    error: `is no known base model; known: ${KNOWN_BASE_MODELS.join(', ')}`,
    params: { code: 'unknown_base_model' },
  })
  .meta({ description: 'Name of a base model; `none` when no weights are to be trained', example: 'none' })

const Namespace = z
  .string()
  .refine((name) => KNOWN_NAMESPACES.includes(name), {
    error: 'is no known namespace',
    params: { code: 'unknown_namespace' },
  })
  .meta({ description: 'Namespace of captured traffic to ground the compile on' })

export const KScoreFloor = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'The K-score below which nothing is signed', example: 0.85 })

/**
 * Examples are only looked at as a list here; each is checked while it is read, so that a list of thousands is walked
 * once, and one of millions not at all.
 */
export const Examples = z
  .custom<readonly unknown[]>((value) => Array.isArray(value), { error: listWanted })
  .meta({
    description: 'At most 10,000 examples, each of at most 10 KB',
    override: {
      type: 'array',
      items: {
        type: 'object',
        required: ['input'],
        properties: {
          id: { type: 'string' },
          input: { description: 'Any JSON value' },
          output: { description: 'Any JSON value; `expected` is accepted too' },
          kind: {
            type: 'string',
            enum: ['negative'],
            description: 'With `expected_not`: an output that must not come',
          },
          expected_not: { description: 'Any JSON value' },
        },
      },
    },
  })

/** What to compile, examples aside. */
export const CompileSpec = z.object({
  task: Task,
  corpus_namespace: Namespace.optional(),
  base_model: BaseModel.default('none'),
  k_score_floor: KScoreFloor.default(0.85),
  mode: z.enum(['async', 'sync']).default('sync').meta({
    description: '`async` answers 202 at once; otherwise the call waits for the end',
  }),
  concept_id: GivenConceptId.optional().meta({
    description:
      'Makes a new version of this concept. When the concept is deleted while the compile runs, the result becomes a concept of its own.',
  }),
})
export type CompileSpec = z.output<typeof CompileSpec>

/** The body of `POST /v1/compile`. */
export const CompileBody = CompileSpec.extend({ examples: Examples.optional() }).meta({ id: 'CompileRequest' })

/** The parts of an upload. */
export const CompileForm = z
  .object({
    spec: z.string().meta({ description: 'The request without `examples`, as JSON' }),
    file: z.string().meta({
      description:
        'A `.jsonl` file of `{"input": …, "output": …}` lines, or a `.csv` file with a header: the column `output`, and `input` or several input columns that become an object',
      override: { type: 'string', format: 'binary' },
    }),
  })
  .meta({ id: 'CompileUpload' })

function listWanted({ input }: { readonly input?: unknown }): string {
  return input === undefined ? 'is required' : 'must be a list'
}
