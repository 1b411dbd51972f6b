import { findArtifactId } from '../../compile/artifact-id.ts'
import { AdversarialAnswer } from '../../../core/learn/wire/adversarial.ts'
import { KCalibrationAnswer } from '../../../core/learn/wire/calibration.ts'
import type { CliContext } from '../../context.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** `svc eval calibration`. */
export async function showCalibration(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/eval/k-score-calibration', KCalibrationAnswer)
  const { results, calibration_summary: summary, measured } = answer.data
  const { held, n, test_rows: testRows } = summary.interval_coverage
  context.output.result(answer, () =>
    [
      formatTable(
        ['case', 'kind', 'K', 'accuracy', '95 % interval', 'fresh rows'],
        results.map(({ id, recipe }) =>
          recipe === null
            ? [id, 'no recipe', '-', '-', '-', '-']
            : [
                id,
                recipe.kind,
                recipe.composite.toFixed(2),
                recipe.accuracy.toFixed(2),
                `${recipe.interval.low.toFixed(2)} to ${recipe.interval.high.toFixed(2)}`,
                `${recipe.test_right} of ${recipe.test_rows}${recipe.held ? '' : ' (outside)'}`,
              ],
        ),
      ),
      `${summary.pass} of ${summary.n} cases reach ${summary.gate}; the mean K-score is ${summary.composite_mean}`,
      `the interval holds the accuracy on fresh rows in ${held} of ${n} cases (${testRows} rows)`,
      `measured ${formatTime(measured.measured_at)} with svc ${measured.engine.library}${measured.is_this_engine ? '' : ', with another compiler than this one'}`,
    ].join('\n'),
  )
}

/** Options of `svc eval adversarial`. */
export interface AdversarialFlags {
  readonly artifact?: string
  readonly cluster?: readonly string[]
  readonly limit?: number
}

/** Characters of an input in a list. */
const SHOWN = 48

/** `svc eval adversarial`. */
export async function generateAdversarial(
  context: CliContext,
  namespace: string,
  { artifact, cluster, limit }: AdversarialFlags,
): Promise<void> {
  const client = await context.client()
  const json = {
    namespace,
    ...(artifact !== undefined && { artifact_id: await findArtifactId(client, artifact) }),
    ...(cluster !== undefined && { weak_clusters: [...cluster] }),
    ...(limit !== undefined && { n: limit }),
  }
  const answer = await client.call('/v1/eval/adversarial/generate', AdversarialAnswer, { method: 'POST', json })
  const shown = (value: unknown): string =>
    plainText(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN)
  const none = 'no case: no change of these rows has a right answer that follows from the row'
  context.output.result(answer, () =>
    [
      ...(answer.rows.length === 0 ? [none] : []),
      formatTable(
        ['case', 'change', 'expected', 'input', 'right answer', 'holds'],
        answer.rows.map((row) => [
          row.id,
          row.template,
          row.expectation,
          shown(row.question),
          row.reference_answer === null ? '-' : shown(row.reference_answer),
          row.score === null ? '-' : row.score.holds ? 'yes' : 'no',
        ]),
      ),
      ...(answer.summary ?? []).map(
        ({ expectation, n, held, interval }) =>
          `${expectation}: ${held} of ${n} hold (95 % interval ${interval.low} to ${interval.high})`,
      ),
    ].join('\n'),
  )
}
