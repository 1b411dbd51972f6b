import { measured, notMeasured, type Figure } from '../../../kernel/wire/figure.ts'
import type { Verifier, VerifierFigures } from './verifier-types.ts'

const HOW = {
  accepted: 'wrong outputs, made from right ones, that pass all checks',
  alarms: 'inputs of rows that the checks of other rows refuse',
  passed: 'right outputs of rows that the checks of other rows accept',
  withheld: 'answers below the threshold in inner cross-validation',
} as const

/**
 * Returns the shares of a verifier as figures. The counts beside them stay numbers, and a rate over nothing is 0 there:
 * here it is not measured.
 */
export function verifierFigures({
  soundness,
  completeness,
  inputs,
  abstention,
}: Pick<Verifier, 'soundness' | 'completeness' | 'inputs' | 'abstention'>): VerifierFigures {
  const withheld = (count: number): Figure =>
    abstention === null
      ? notMeasured('no recipe that abstains was fitted')
      : shareOf(count, abstention.predictions, HOW.withheld)
  return {
    false_accept_rate: shareOf(soundness.accepted, soundness.mutants, HOW.accepted),
    false_alarm_rate: shareOf(inputs.false_alarms, inputs.rows, HOW.alarms),
    completeness: shareOf(completeness.passed, completeness.rows, HOW.passed),
    right_withheld: withheld(abstention?.right_withheld ?? 0),
    wrong_withheld: withheld(abstention?.wrong_withheld ?? 0),
  }
}

function shareOf(count: number, n: number, how: string): Figure {
  return n === 0 ? notMeasured('there was nothing to measure it on') : measured(Number((count / n).toFixed(4)), n, how)
}
