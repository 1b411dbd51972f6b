import { z } from 'zod'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { MOST_ALTERNATIVES } from '../../runtime/certificate/risk.ts'
import { Count, Share } from './fields.ts'

const AnyObject = z.record(z.string(), z.custom<JsonObject[string]>())

/** A point of the risk-coverage curve. */
const CurvePointDocument = z.strictObject({ threshold: Share, answered: Count, wrong: Count })

/** `certificate.json`: the threshold of confidence with its promise, or the reason why there is none. */
export const CertificateDocument = z.strictObject({
  spec: z.literal('svc-certificate-1'),
  status: z.enum(['certified', 'not_certifiable']),
  max_error: z.number().gt(0).lt(1),
  confidence: z.number().gt(0).lt(1),
  basis: z.enum(['held_out', 'cross_fit']).meta({
    description:
      '`held_out`: the rows were seen by no recipe, so the bound is exact. `cross_fit`: it has no proof and is checked by simulation',
  }),
  kinds: Count.meta({ description: 'Kinds of recipes that competed on the rows' }),
  n: Count.meta({ description: 'Rows of the calibration' }),
  tested: Count,
  threshold: Share.nullable().meta({ description: 'Lowest confidence of a given answer' }),
  answered: Count.nullable(),
  wrong: Count.nullable(),
  coverage: Share.nullable().meta({ description: 'Share of the rows whose answer is given' }),
  error_bound: Share.nullable().meta({ description: 'Upper Clopper–Pearson bound of the share of wrong answers' }),
  reason: z.enum(['too_few_rows', 'too_uncertain']).nullable(),
  rows_needed: Count.nullable(),
  statement: z.string().meta({ description: 'The promise in words' }),
  curve: z.array(CurvePointDocument).min(1).max(200).meta({
    description: 'Answers given at each threshold of confidence, and the wrong ones among them',
  }),
  alternatives: z
    .array(z.strictObject({ program: AnyObject, weight: Share }))
    .max(MOST_ALTERNATIVES)
    .meta({
      description:
        'Of a program: others that are right on the same rows, with their shares of the posterior. The confidence of an answer is the share that agrees with it.',
    }),
})
export type CertificateDocument = z.infer<typeof CertificateDocument>

/** A certificate as answers show it: without the alternatives, which are programs. */
export const CertificateView = CertificateDocument.omit({ alternatives: true }).meta({ id: 'Certificate' })
export type CertificateView = z.infer<typeof CertificateView>
