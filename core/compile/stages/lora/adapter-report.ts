import { measured, notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import type { AdapterEvidence, AdapterReport } from './adapter-evidence.ts'

const NOTHING: AdapterReport = {
  status: 'skipped',
  code: null,
  reason: null,
  base: null,
  trainer: null,
  steps: 0,
  best_step: 0,
  stopped_early: false,
  loss: null,
  validation_loss: null,
  tokens_per_second: 0,
  training_rows: 0,
  validation_rows: 0,
  teacher_rows: 0,
  truncated_rows: 0,
  truncated: [],
}

/** The evidence of a job for which no adapter was fitted. */
export function skippedAdapter(code: string, reason: string): AdapterEvidence {
  return { report: { ...NOTHING, code, reason }, members: null }
}

/** The evidence of a fit that failed. */
export function failedAdapter(
  code: string,
  reason: string,
  facts: Pick<AdapterReport, 'base' | 'trainer' | 'truncated_rows' | 'truncated' | 'teacher_rows'>,
): AdapterEvidence {
  return { report: { ...NOTHING, ...facts, status: 'failed', code, reason }, members: null }
}

/** Numbers of a report that have figures beside them. */
const FIGURES = {
  steps: 'steps of the optimizer',
  best_step: 'the step with the lowest loss on the rows of early stopping',
  loss: 'training loss at the step that was kept',
  validation_loss: 'mean loss on the rows of early stopping',
  tokens_per_second: 'reported by the trainer',
  training_rows: 'rows that the fit learned from',
  validation_rows: 'rows of early stopping',
} as const

/** Figures that are measured on the rows of early stopping. */
const OF_VALIDATION: ReadonlySet<string> = new Set(['best_step', 'validation_loss'] satisfies (keyof typeof FIGURES)[])

/** Returns why a number of a fitted adapter was not measured; null for one that was. */
function whyUnmeasured(report: AdapterReport, name: keyof typeof FIGURES): string | null {
  if (OF_VALIDATION.has(name) && (report.validation_rows === 0 || report[name] === null))
    return 'there were no rows for early stopping'
  if (name === 'loss' && (report.loss === null || report.steps === 0)) return 'the trainer reported no loss'
  return name === 'tokens_per_second' && report[name] === 0 ? 'the trainer reported no speed' : null
}

/** Returns a report with figures beside its numbers: without a fit none was measured, and the numbers are 0. */
export function describeAdapter(
  report: AdapterReport,
): AdapterReport & { readonly figures: Readonly<Record<keyof typeof FIGURES, Figure>> } {
  const of = (name: keyof typeof FIGURES): Figure => {
    if (report.status !== 'fitted') return notMeasured('no adapter was fitted')
    const why = whyUnmeasured(report, name)
    const n = OF_VALIDATION.has(name) ? report.validation_rows : 1
    return why === null ? measured(report[name] ?? 0, n, FIGURES[name]) : notMeasured(why)
  }
  return {
    ...report,
    figures: {
      steps: of('steps'),
      best_step: of('best_step'),
      loss: of('loss'),
      validation_loss: of('validation_loss'),
      tokens_per_second: of('tokens_per_second'),
      training_rows: of('training_rows'),
      validation_rows: of('validation_rows'),
    },
  }
}
