import { z } from 'zod'

/** Behaviour of a version when an answer is in doubt. */
export const ON_DOUBT = ['answer', 'abstain'] as const
export type OnDoubt = (typeof ON_DOUBT)[number]

/** Alternatives that are kept of a program. */
export const MOST_ALTERNATIVES = 8

/** The risk that a caller accepts, on the wire. */
export const Risk = z
  .object({
    max_error: z
      .number()
      .gt(0)
      .lt(1)
      .meta({ description: 'Largest share of wrong answers among those given', example: 0.02 }),
    confidence: z.number().gt(0).lt(1).meta({
      description: 'Probability, over the rows of the calibration, with which the share holds',
      example: 0.9,
    }),
  })
  .meta({
    id: 'Risk',
    description:
      'Asks for a certificate: a threshold of confidence above which at most the share `max_error` of the given answers is wrong, with probability `confidence`. Without enough rows the certificate is `not_certifiable` and names the rows that it needs; the K-score alone decides about signing.',
  })
export type Risk = z.output<typeof Risk>

/** Schema of `on_doubt`. */
export const OnDoubtField = z.enum(ON_DOUBT).meta({
  description:
    'Answer of a version in doubt: an answer that fails a check, belongs to an input unlike the examples or lies below the threshold of the certificate. `abstain`, the default under a certificate, withholds it; `answer` gives it.',
})

/** The caller's choices besides a score; both are absent in jobs of earlier versions. */
export interface DoubtChoices {
  readonly risk?: Risk | undefined
  readonly on_doubt?: OnDoubt | undefined
}
