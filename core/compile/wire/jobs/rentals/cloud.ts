import { z } from 'zod'
import { NamespaceName } from '../../../../gateway/wire/namespace-name.ts'
import { Figure } from '../../../../kernel/wire/figure.ts'
import type { Limits } from '../../../limits.ts'
import { LANES } from '../../../stages/rentals/lanes.ts'
import { Accepted } from '../accepted.ts'
import { compileSpec, exampleList, inputList, taskText } from '../spec.ts'

const Span = z.object({ low: z.number(), expected: z.number(), high: z.number() })

/** Body of `POST /v1/compile/cloud`. */
export const cloudBody = (limits: Limits) => {
  const { trainer: _trainer, mode: _mode, task: _task, recipe_kind: kind, ...choices } = compileSpec(limits).shape
  return z
    .object({
      backend: z
        .string()
        .min(1)
        .max(40)
        .meta({
          description: `The lane, which stands for one provider of machines: ${LANES.join(', ')}; a provider's own name is accepted too`,
          example: 'gpu_pods',
        }),
      namespace: NamespaceName.optional().meta({
        description: 'Its approved captures are the examples, where `spec` has none. Needs `capture:read` as well',
      }),
      spec: z
        .object({
          ...choices,
          task: taskText(limits).optional(),
          recipe_kind: kind.unwrap().default('lora').meta({
            description: 'With `auto` a machine is rented only when no cheaper kind reaches the floor',
          }),
          examples: exampleList(limits).optional(),
          unlabelled_inputs: inputList(limits).optional(),
        })
        .optional()
        .meta({ description: 'Task, examples and choices, as in `POST /v1/compile`' }),
      base_model: z.string().min(1).max(100).optional().meta({ description: 'In place of that of `spec`' }),
      budget_usd: z
        .number()
        .positive()
        .max(limits.rental_budget_usd)
        .optional()
        .meta({ description: 'Before it is passed the machine goes; required with `confirm`' }),
      confirm: z.boolean().default(false).meta({ description: 'Without it only a quote is answered' }),
      allow_sensitive: z.boolean().default(false).meta({
        description:
          'Lets rows with sensitive text, such as names and addresses, go to the machine as token ids. The ledger records it',
      }),
    })
    .meta({ id: 'CloudCompileRequest' })
}

/** The price of a rental before it begins. */
export const CloudQuoteView = z
  .object({
    cost_usd: z.number().meta({ description: 'What is expected' }),
    usd: Span,
    seconds: Span,
    inputs: z.object({
      lane: z.enum(LANES),
      usd_per_hour: z.number(),
      tokens: z.int().meta({ description: 'Read by the fit: those of all passes' }),
      tokens_per_pass: Figure,
      epochs: z.int(),
      rows: z.int(),
      base_parameters_b: z.number(),
      tokens_per_second: Figure,
      start_seconds: z.number(),
    }),
    method: z.string(),
  })
  .meta({ id: 'CloudQuote' })

/** Answer of `POST /v1/compile/cloud` without `confirm`. */
export const CloudQuoteAnswer = z.object({
  status: z.literal('quote'),
  backend: z.enum(LANES),
  estimate: CloudQuoteView,
  next: z.string(),
})

/** Answer of `POST /v1/compile/cloud` with `confirm`. */
export const CloudAccepted = Accepted.extend({
  backend: z.enum(LANES),
  estimate: CloudQuoteView,
  rental: z.object({
    managed_by: z.literal('svc'),
    teardown: z.literal('automatic'),
    budget_usd: z.number(),
    workflow: z.string().meta({ description: 'Id of the workflow that rents, in Temporal' }),
  }),
})
