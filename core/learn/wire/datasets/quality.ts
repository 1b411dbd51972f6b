import { z } from 'zod'

const Count = z.int()
const Ids = z.array(z.string()).meta({ description: 'At most 100 ids of rows' })

const Quantiles = z
  .object({ rows: Count, min: z.number(), p50: z.number(), p95: z.number(), max: z.number(), total: z.number() })
  .meta({ id: 'DatasetQuantiles' })

const Contamination = z
  .object({
    words: Count.meta({ description: 'Length of the run of words that two texts share' }),
    train_rows: Count.meta({ description: 'Rows to learn from that were compared' }),
    held_rows: Count,
    contaminated: Count,
    row_ids: Ids,
  })
  .meta({ id: 'DatasetContamination' })

/** The quality of a version, as it was measured when it was built. */
export const Quality = z
  .object({
    duplicates: z
      .object({ exact_removed: Count, groups: Count, grouped_rows: Count, largest_group: Count })
      .meta({ id: 'DatasetDuplicates' }),
    contradictions: z
      .object({ inputs: Count, rows: Count, row_ids: Ids })
      .meta({ id: 'DatasetContradictions' })
      .nullable(),
    labels: z
      .array(z.object({ label: z.string(), train: Count, holdout: Count }).meta({ id: 'DatasetLabel' }))
      .nullable()
      .meta({
        description: 'The 20 most frequent labels with their rows on each side; null where outputs are no labels',
      }),
    label_noise: z
      .object({
        method: z.string(),
        rows: Count,
        estimated: Count.meta({ description: 'Rows whose label is probably wrong, as estimated' }),
        rate: z.number(),
        suspects: z
          .array(
            z
              .object({
                row_id: z.string(),
                given: z.string(),
                suggested: z.string(),
                margin: z
                  .number()
                  .meta({ description: 'Probability of the given label less that of the suggested one' }),
                probability: z.number().optional().meta({
                  description: 'Probability of the suggested label; absent from versions built before it was kept',
                }),
              })
              .meta({ id: 'SuspectLabel' }),
          )
          .meta({ description: 'The likeliest first, at most 100' }),
      })
      .meta({ id: 'DatasetLabelNoise' })
      .nullable()
      .meta({ description: 'Null where outputs are no labels, or two labels do not have five rows each' }),
    pii: z
      .object({ rows: Count, rows_with_finds: Count, classes: z.record(z.string(), Count), row_ids: Ids })
      .meta({ id: 'DatasetPii' }),
    characters: Quantiles,
    tokens: Quantiles.extend({ tokenizer: z.string() }).meta({ id: 'DatasetTokens' }).nullable(),
    contamination: z
      .object({
        own: Contamination,
        others: Contamination.extend({ datasets: z.array(z.string()) })
          .meta({ id: 'ForeignContamination' })
          .nullable(),
        benchmarks: Contamination.extend({
          packs: z.array(z.string()).meta({
            description: 'Ids of packs of the namespace; `installed:<benchmark>` for those of the operator',
          }),
        })
          .meta({
            id: 'BenchmarkContamination',
            description: 'Against the packs of benchmarks of the namespace and those that the operator installed',
          })
          .nullable()
          .optional()
          .meta({ description: 'Null without a pack; absent from versions built before packs were compared' }),
      })
      .meta({ id: 'DatasetContaminations' }),
    change: z
      .object({ added: Count, removed: Count, kept: Count, to_holdout: Count, to_train: Count })
      .meta({ id: 'DatasetChange' })
      .nullable(),
  })
  .meta({
    id: 'DatasetQuality',
    description: 'Of more than 20,000 rows, figures that take long are of a sample; each says of how many rows it is',
  })
