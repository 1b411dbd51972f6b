import type { z } from 'zod'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Lane } from '../../../core/compile/stages/rentals/lanes.ts'
import {
  quote,
  type FitSize,
  type MeasuredSpeed,
  type Quote,
} from '../../../core/compile/stages/rentals/quote/quote.ts'
import { measureFit } from '../../../core/compile/stages/rentals/quote/measure-fit.ts'
import { COLD_START_S } from '../../../core/compile/stages/rentals/quote/reference.ts'
import type { CloudQuoteView } from '../../../core/compile/wire/jobs/rentals/cloud.ts'
import { measured, notMeasured } from '../../../core/kernel/wire/figure.ts'
import { measuredSpeed } from '../../../db/compile/across/rentals/open-rentals.ts'
import type { CompileServices } from '../services.ts'
import type { CheckedDataset } from '../submit/dataset.ts'
import { quotedBase } from './quoted-base.ts'

/** A quote with everything that it was computed from. */
export interface FoundedQuote {
  readonly lane: Lane
  readonly usdPerHour: number
  readonly parametersB: number
  readonly size: FitSize
  readonly speed: MeasuredSpeed | undefined
  readonly quote: Quote
}

/** Quotes a fit of these rows; without rows, the specification's sample fit. Throws what `quotedBase` throws. */
export async function quoteOf(
  { db, settings }: Pick<CompileServices, 'db' | 'settings'>,
  wanted: {
    readonly lane: Lane
    readonly baseName: string | undefined
    readonly epochs: number | undefined
    readonly dataset: CheckedDataset | null
  },
): Promise<FoundedQuote> {
  const { lane, baseName, epochs, dataset } = wanted
  const { usdPerHour } = settings.rentals.lanes[lane]
  const base = await quotedBase(baseName, settings.baseFolders, dataset !== null)
  const { parametersB } = base
  const size = await measureFit(dataset, base, epochs)
  const speed = await measuredSpeed(db, { lane, parametersB })
  const input = { lane, usdPerHour, size, parametersB, measured: speed }
  return { lane, usdPerHour, parametersB, size, speed, quote: quote(input) }
}

/** Throws `budget_below_quote` with both numbers when the budget does not reach what is expected. */
export function requireBudget({ quote: { usd } }: FoundedQuote, budgetUsd: number): void {
  if (budgetUsd >= usd.expected) return
  throw COMPILE_ERRORS.budget_below_quote(
    `budget_usd: ${budgetUsd} is below the quote of ${usd.expected} US dollars; raise it or take fewer rows or passes`,
    {
      details: {
        budget_usd: budgetUsd,
        quote_usd: usd.expected,
        quote_high_usd: usd.high,
        fields: [{ field: 'budget_usd', message: `is below the quote of ${usd.expected} US dollars` }],
      },
    },
  )
}

/** A quote, field by field. */
export function presentQuote(founded: FoundedQuote): z.input<typeof CloudQuoteView> {
  const { lane, usdPerHour, parametersB, size, speed, quote: quoted } = founded
  const perPass = Math.round(size.tokens)
  return {
    cost_usd: quoted.usd.expected,
    usd: { ...quoted.usd },
    seconds: { ...quoted.seconds },
    inputs: {
      lane,
      usd_per_hour: usdPerHour,
      tokens: quoted.tokens,
      tokens_per_pass:
        size.countedRows > 0
          ? measured(
              perPass,
              size.countedRows,
              'tokens of these rows under the tokenizer of the base, times the train rows',
            )
          : notMeasured(`no rows: the specification's sample of ${size.rows} rows of 1,024 tokens`),
      epochs: size.epochs,
      rows: size.rows,
      base_parameters_b: parametersB,
      tokens_per_second:
        speed === undefined
          ? notMeasured(`no fit was measured on this lane: the specification's ${quoted.tokensPerSecond} tokens/s`)
          : measured(
              Math.round(speed.mean),
              speed.fits,
              'mean of the newest fits of bases of about this size on this lane',
            ),
      start_seconds: COLD_START_S[lane],
    },
    method: 'start + ceil(tokens / tokens_per_second * 2) seconds, at the price of an hour; low: a fifth of the steps',
  }
}
