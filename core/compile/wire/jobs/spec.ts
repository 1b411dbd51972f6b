import { z } from 'zod'
import type { Limits } from '../../limits.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { isGivenRows, type GivenRows } from '../given-rows.ts'
import { LoraOptions, RECIPE_CHOICES, ROWS_FORMS, TRAINERS } from '../../stages/lora/lora-options.ts'
import { FromCaptures } from './captures.ts'
import { questionChoices } from './questions.ts'
import { Mapping } from './mapping.ts'
import { Tolerances } from '../../rows/equality/tolerance.ts'
import { OnDoubtField, Risk } from '../../runtime/certificate/risk.ts'
import { GivenConceptId, GivenDatasetId } from '../../../kernel/wire/ids.ts'

/** Schema of the task description, up to the length limit in force. */
export function taskText({ task_chars: most }: Limits) {
  return textUpTo(most).meta({
    description: 'The task in words',
    example: 'Write a phone number in the form +44 20 7946 0000',
  })
}

const BaseModel = z.string().min(1).max(100).meta({
  description:
    'Base of an adapter: `none` when no weights should be trained, or the name of a base that is installed. When absent, an adapter is fitted on `nano`, if nothing cheaper passes.',
  example: 'nano',
})

const Namespace = z.string().min(1).max(100).meta({
  description:
    'Namespace of the job and its results; it exists once a call was captured in it, a document was indexed in it, or it has settings. Its captures become examples only by `from_captures`',
  example: 'support',
})

/** The floor of the gate. */
export const KScoreFloor = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'The K-score below which no artifact is signed', example: 0.85 })

/**
 * Examples are only looked at as a list here; each is checked while it is read, so that a list of thousands is walked
 * once, and one of millions not at all.
 */
export function exampleList(limits: Limits, most = limits.inline_examples) {
  return z.custom<GivenRows>(isGivenRows, { error: listWanted }).meta({
    description: `At most ${most} examples, each of at most ${limits.example_bytes} bytes`,
    override: {
      type: 'array',
      maxItems: most,
      items: {
        type: 'object',
        required: ['input'],
        properties: {
          id: { type: 'string', minLength: 1, maxLength: 128 },
          input: { description: 'Any JSON value but null' },
          output: { description: 'Any JSON value; `expected` is accepted too' },
          kind: {
            type: 'string',
            enum: ['positive', 'test', 'negative', 'unlabelled'],
            description:
              '`positive`, when absent: an example to learn from. `test`: an example that no recipe is fitted on; where there are some, they alone score the recipe. `negative`, with `expected_not`: a forbidden output. `unlabelled`: an input without an output',
          },
          expected_not: { description: 'Any JSON value' },
        },
      },
    },
  })
}

/** Members of a body that hold examples, and may be long. */
export const LONG_LISTS = ['examples', 'unlabelled_inputs'] as const

/** Inputs without outputs: looked at as a list here, and each while it is read, like examples. */
export function inputList({ unlabelled_inputs: most, example_bytes: bytes }: Limits) {
  return z.custom<GivenRows>(isGivenRows, { error: listWanted }).meta({
    description: `At most ${most} inputs without an output, each of at most ${bytes} bytes. They must have a type that inputs of examples have. Up to 12 of different shapes take part in the search for programs: a program that does not answer them costs more. The figure undecided of the job is measured on all. Where the operator has configured a teacher, the answers on which its samples agree become training data; the evaluation never sees them.`,
    override: { type: 'array', maxItems: most, items: { description: 'Any JSON value' } },
  })
}

/** Choices of a compile beside its task and its examples. */
export const CompileChoices = z.object({
  corpus_namespace: Namespace.optional(),
  base_model: BaseModel.optional(),
  rows: z.enum(ROWS_FORMS).default('held').meta({
    description:
      '`held`: the archive holds the inputs and outputs of the rows, so that anyone who has it can recompute its figures. `digests`: it holds digests of them, and `svc verify --recompute` needs `--rows FILE`. Of more than 1,000 rows, or of more than 16 MiB, an archive always holds digests.',
  }),
  recipe_kind: z.enum(RECIPE_CHOICES).default('auto').meta({
    description:
      'Allowed kinds of recipe. `auto`: the cheapest that reaches the floor; `composite` answers each part of an output by a recipe of its own; an adapter is fitted when no other kind does.',
  }),
  trainer: z.enum(TRAINERS).default('embedded').meta({
    description: '`peft` fits adapters in a worker with PEFT, which the operator runs for large bases and GPUs',
  }),
  lora: LoraOptions.optional().meta({
    description: 'Settings for fitting an adapter; chosen from rows and base where absent',
  }),
  k_score_floor: KScoreFloor.default(0.85),
  risk: Risk.optional(),
  on_doubt: OnDoubtField.optional(),
  tolerances: Tolerances.optional(),
  mode: z.enum(['async', 'sync']).optional().meta({
    description:
      '`async` answers 202 at once, `sync` waits for the end. Without it the call waits, unless the compile may ask questions.',
  }),
  concept_id: GivenConceptId.optional().meta({
    description:
      'Creates a new version of this concept. When the concept is deleted while the compile runs, the result becomes a new concept.',
  }),
})

/** Most characters of the address of a hook. */
const MOST_HOOK_CHARS = 2048

const DeployHook = z
  .string()
  .min(1)
  .max(MOST_HOOK_CHARS)
  .regex(/^https?:\/\//, { error: 'must be an https address' })
  .meta({
    description:
      'An https address on the public internet that is notified of the artifact once, by a POST that Standard Webhooks signs; the answer of this call holds the secret. Stored sealed and never returned. With it the call does not wait, so `mode` must not be `sync`',
    example: 'https://deploy.example.com/hooks/svc',
  })

/** Schema of a compile's specification, examples aside. */
export function compileSpec(limits: Limits) {
  return z.object({
    task: taskText(limits),
    ...CompileChoices.shape,
    questions: questionChoices(limits).optional(),
    deploy_hook: DeployHook.optional(),
  })
}

/** Schema of the part `spec` of an upload. */
export function uploadSpec(limits: Limits) {
  return compileSpec(limits).extend({ mapping: Mapping.optional() })
}

/** A compile as a caller writes it, examples aside. */
export type CompileInput = z.input<ReturnType<typeof compileSpec>>
/** A compile, examples aside, with its defaults. */
export type CompileSpec = z.output<ReturnType<typeof compileSpec>>

/** The body of `POST /v1/compile`. */
export function compileBody(limits: Limits) {
  return compileSpec(limits)
    .extend({
      examples: exampleList(limits).optional(),
      unlabelled_inputs: inputList(limits).optional(),
      from_captures: FromCaptures.optional(),
      dataset_id: GivenDatasetId.optional().meta({
        description:
          'The rows of this dataset, in place of `examples`: those to learn from, and its held-out rows as rows of kind `test`',
      }),
      dataset_version: z.int().min(1).optional().meta({ description: 'The newest version when absent' }),
    })
    .meta({
      id: 'CompileRequest',
      override: {
        dependentRequired: { dataset_version: ['dataset_id'] },
        not: {
          anyOf: [
            { required: ['dataset_id', 'examples'] },
            { required: ['dataset_id', 'from_captures'] },
            { required: ['from_captures', 'examples'] },
          ],
        },
      },
    })
}

/** The parts of an upload. */
export const CompileForm = z
  .object({
    spec: z.string().meta({
      description:
        'The request without `examples`, as JSON. Its member `mapping` says how the file is read (`TableMapping`); what it leaves open is guessed, and `POST /v1/compile/preview` shows the guesses',
    }),
    file: z.string().meta({
      description:
        'Examples as JSONL or JSON (objects with `input` and `output`, or with other members that are mapped), as a text with any delimiter (CSV, TSV, pasted cells) in UTF-8, UTF-16 or an older encoding, or as a sheet of an `.xlsx` workbook. Columns named `id` and `kind` do as in `examples`',
      override: { type: 'string', format: 'binary' },
    }),
  })
  .meta({ id: 'CompileUpload' })

function listWanted({ input }: { readonly input?: unknown }): string {
  return input === undefined ? 'is required' : 'must be a list'
}
