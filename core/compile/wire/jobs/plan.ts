import { z } from 'zod'
import type { Limits } from '../../limits.ts'
import { Figure } from '../../../kernel/wire/figure.ts'
import { CompileChoices, CompileForm, exampleList, inputList, taskText } from './spec.ts'
import { Mapping, TableView } from './mapping.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { type GivenRows, isGivenRows } from '../given-rows.ts'
import { JobId } from '../../../kernel/wire/ids.ts'
import { JOB_STATUSES } from '../../rows/task.ts'
import { JobView } from './job.ts'
import { Accepted } from './accepted.ts'

const Span = z.object({ low: z.number(), expected: z.number(), high: z.number() })

/** Expected time and price of a compile. */
export const EstimateView = z
  .object({
    estimated_usd: Span,
    estimated_minutes: Span,
    plan: z.array(
      z.object({
        stage: z.string(),
        kind: z.string().nullable(),
        runs: z.number(),
        seconds: Span,
        usd: Span,
        note: z.string(),
      }),
    ),
    inputs: z.object({
      task_chars: z.int(),
      rows: z.int(),
      rows_used: z.int(),
      split_mode: z.string(),
      kinds: z.array(z.string()),
      k: z.int(),
      provider_tokens: z.number(),
    }),
    method: z.string(),
    basis: Figure.meta({ description: 'Whether the times were measured' }),
  })
  .meta({ id: 'CompileEstimate' })

/** Both names of the task, as long as the limit in force allows. */
export const taskFields = (limits: Limits) => ({
  task: taskText(limits).optional(),
  describe: taskText(limits).optional(),
})

/** Either name of the task will do. */
const TASK_REQUIRED = { anyOf: [{ required: ['task'] }, { required: ['describe'] }] }

/** The choices that decide whether an adapter is fitted. */
export const ADAPTER_FIELDS = CompileChoices.pick({ base_model: true, recipe_kind: true }).shape

/** Body of `POST /v1/compile/estimate`. */
export const estimateCompileBody = (limits: Limits) =>
  z.object({
    ...taskFields(limits),
    examples: exampleList(limits).optional(),
    rows: z.int().min(0).max(limits.upload_rows).optional(),
    unlabelled_inputs: inputList(limits).optional(),
    ...ADAPTER_FIELDS,
  })

/** Body of `POST /v1/compile/preview`. */
export const previewCompileBody = (limits: Limits) =>
  z
    .object({
      ...taskFields(limits),
      examples: exampleList(limits).optional(),
      text: z.string().optional().meta({
        description: 'Examples as a text in place of a file: cells copied from a spreadsheet, CSV, JSON or JSONL',
      }),
      mapping: Mapping.optional().meta({ description: 'How `text` is read' }),
    })
    .refine((body) => body.task !== undefined || body.describe !== undefined || body.text !== undefined, {
      path: ['describe'],
      error: 'is required',
      params: { code: 'missing_describe' },
    })
    .meta({ override: { anyOf: [...TASK_REQUIRED.anyOf, { required: ['text'] }] } })

/** Part `spec` of an uploaded file that is previewed. */
export const previewUploadSpec = (limits: Limits) => z.object({ ...taskFields(limits), mapping: Mapping.optional() })

/** The parts of a file that is previewed. */
export const PreviewForm = z
  .object({
    spec: z.string().optional().meta({ description: '`task` or `describe`, and `mapping`, as JSON; may be absent' }),
    file: CompileForm.shape.file,
  })
  .meta({ id: 'PreviewUpload' })

/** Answer of `POST /v1/compile/preview`. */
export const PreviewCompileAnswer = z.object({
  describe_hash: z.string(),
  pairs: z.array(z.object({ q: JsonValue, a: JsonValue })),
  examples_n: z.int(),
  generated_at: z.iso.datetime(),
  method: z.enum(['given_examples', 'given_file', 'template_rows', 'none']),
  template_id: z.string().nullable(),
  note: z.string(),
  table: TableView.nullable().meta({
    description: 'Of a file or a text: its columns, and how a compile would read them',
  }),
})

/** Body of `POST /v1/compile/start`. */
export const startCompileBody = (limits: Limits) =>
  z
    .object({
      ...CompileChoices.omit({ mode: true }).shape,
      ...taskFields(limits),
      examples: exampleList(limits).optional(),
      unlabelled_inputs: inputList(limits).optional(),
      pairs: z
        .custom<GivenRows>(isGivenRows, { error: () => 'must be a list' })
        .optional()
        .meta({
          description: 'Another spelling of `examples`',
          override: {
            type: 'array',
            items: {
              type: 'object',
              required: ['q', 'a'],
              properties: { q: { description: 'Any JSON value' }, a: { description: 'Any JSON value' } },
            },
          },
        }),
    })
    .refine(({ task, describe }) => task !== undefined || describe !== undefined, {
      path: ['task'],
      error: 'is required',
    })
    .meta({ override: TASK_REQUIRED })

const WHERE_TO_LOOK = {
  job: JobId,
  stream_url: z.string().meta({ description: 'Path of the progress stream' }),
  reattach_hint: z.string(),
  method: z.literal('workflow'),
  state: z.enum(JOB_STATUSES),
}

/** Answer of `POST /v1/compile/start`. */
export const StartCompileAnswer = JobView.extend(WHERE_TO_LOOK)

/** Answer of `POST /v1/compile/start` with status 202. */
export const StartCompileAccepted = Accepted.extend(WHERE_TO_LOOK)
