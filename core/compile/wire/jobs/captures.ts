import { z } from 'zod'
import { NamespaceName } from '../../../gateway/wire/namespace-name.ts'
import { SKIP_REASONS, SKIP_WORDS } from '../../../gateway/captures/learning/skip-reasons.ts'
import { formatCount } from '../facts/numbers.ts'

/** Captures that one call names at most. */
const MOST_NAMED = 10_000

/** The captures to learn from. */
export const FromCaptures = z
  .object({
    namespace: NamespaceName,
    capture_ids: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(MOST_NAMED)
      .optional()
      .meta({ description: 'Only these; all approved captures of the namespace when absent' }),
  })
  .meta({
    id: 'FromCaptures',
    description:
      "Approved captures in place of `examples`. The input is the text of the only turn of the user, the output a reviewer's `fixed_output` or the answer; either is JSON where its text is an object. Redacted text keeps its placeholders. Conversations of several turns, tools and media are skipped and counted. The job lies in the namespace. Needs `capture:read` as well",
    example: { namespace: 'support' },
  })

/** The end of a chain of captures. */
const ChainEnd = z.object({
  count: z.int().nonnegative().meta({ description: 'Number of its newest row, from 1 without gaps' }),
  head: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: 'Hash of its newest row, hexadecimal' }),
})

/** The captures that a job learned from, as they are stored with it. */
export const LearnedCaptures = z.object({
  namespace: z.string(),
  used: z.int().nonnegative().meta({ description: 'Captures that became examples' }),
  other_examples: z.int().nonnegative().meta({ description: 'Examples with an output that are no captures' }),
  skipped: z.partialRecord(z.enum(SKIP_REASONS), z.int().positive()).meta({
    description: `Approved captures that became no examples, by reason. ${SKIP_REASONS.map((reason) => `\`${reason}\`: ${SKIP_WORDS[reason]}`).join('; ')}`,
  }),
  chains: z.array(ChainEnd).meta({
    description:
      "The namespace's chain when they were read; chains of merged workspaces come before it, and the open one is last",
  }),
})
/** The captures that a job learned from. */
export type LearnedCaptures = z.infer<typeof LearnedCaptures>

/** The captures of a job, as it shows them. */
export const LearnedCapturesView = LearnedCaptures.extend({
  forgotten: z.int().meta({ description: 'Of those used: forgotten since' }),
}).meta({ id: 'LearnedCaptures' })

/** Returns the stored facts of a job; undefined for one that learned from no captures. */
export function learnedCapturesOf(spec: { readonly [member: string]: unknown }): LearnedCaptures | undefined {
  return LearnedCaptures.safeParse(spec['captures']).data
}

/** Says what was learned from: how many captures of which namespace, and the end of its chain. */
export function learnedInWords({
  namespace,
  used,
  chains,
}: Pick<LearnedCaptures, 'namespace' | 'used' | 'chains'>): string {
  const end = chains.at(-1)
  const chain = end === undefined ? '' : `, chain ${formatCount(end.count)} at ${end.head}`
  return `${formatCount(used, 'capture')} of ${namespace}${chain}`
}

/** Says what was skipped, the most first; empty when nothing was. */
export function skippedInWords(skipped: LearnedCaptures['skipped']): string {
  return SKIP_REASONS.flatMap((reason) => {
    const count = skipped[reason]
    return count === undefined ? [] : [{ reason, count }]
  })
    .toSorted((a, b) => b.count - a.count)
    .map(({ reason, count }) => `${formatCount(count)} ${SKIP_WORDS[reason]}`)
    .join('; ')
}
