import { z } from 'zod'

const Count = z.int().min(0)

/** Why no label of a held-out row was checked. */
export const UNCHECKED_REASONS = [
  'pairs',
  'no_labels',
  'no_held_out_rows',
  'too_few_per_label',
  'too_many_rows',
] as const
export type UncheckedReason = (typeof UNCHECKED_REASONS)[number]

/** A held-out row whose label is probably wrong. */
export const DoubtfulLabel = z
  .object({
    row_id: z.string(),
    given: z.string().meta({ description: 'The label of the row' }),
    suggested: z.string().meta({ description: 'The label that was expected' }),
    margin: z.number().meta({ description: 'Probability of the given label less that of the suggested one' }),
    probability: z.number().meta({ description: 'Probability of the suggested label' }),
  })
  .meta({ id: 'DoubtfulLabel' })

/** The result without the rows with doubtful labels. */
export const WithoutDoubtful = z
  .object({
    informs_only: z.literal(true).meta({ description: 'The gate uses all held-out rows' }),
    rows: Count.meta({ description: 'Held-out rows that are left' }),
    right: Count,
    accuracy: z.number(),
    k_score: z.number(),
  })
  .meta({ id: 'WithoutDoubtfulLabels' })

const Unchecked = z.object({ status: z.literal('not_checked'), reason: z.enum(UNCHECKED_REASONS) })
const Checked = z.object({
  status: z.literal('checked'),
  method: z.string(),
  fitted_rows: Count.meta({ description: 'Rows to learn from that the model of the labels was fitted on' }),
  rows: Count.meta({
    description: 'Held-out rows that were checked: those whose label has at least five rows to learn from',
  }),
  doubtful: Count.meta({ description: 'Rows whose label is probably wrong' }),
  suspects: z.array(DoubtfulLabel).meta({ description: 'The likeliest first; an answer holds at most 100' }),
})

/** The check of the labels of held-out rows, as the manifest of a run keeps it. */
export const CheckedLabels = z.discriminatedUnion('status', [Unchecked, Checked])
export type CheckedLabels = z.infer<typeof CheckedLabels>

/** The check of the labels of held-out rows, as a run shows it. */
export const HeldOutLabels = z
  .discriminatedUnion('status', [
    Unchecked.extend({ message: z.string().meta({ description: 'The reason as a sentence' }) }).meta({
      id: 'UncheckedLabels',
    }),
    Checked.extend({
      without_doubtful: WithoutDoubtful.nullable().meta({
        description: 'Null before the compile has scored its rows, and without doubtful labels',
      }),
    }).meta({ id: 'CheckedLabels' }),
  ])
  .meta({
    id: 'HeldOutLabels',
    description:
      'Held-out rows whose label is probably wrong, by confident learning with a model of the rows to learn from alone. For information: the gate uses all held-out rows',
  })
