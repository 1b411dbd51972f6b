import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { Facts, Heading } from '../../../parts/facts.js'
import { formatInstant, formatNumber, formatPercent, formatState } from '../../../parts/format.js'
import { followEvents } from '../../../parts/read/event-stream.js'
import { Reading } from '../../../parts/read/reading.js'
import { useRead } from '../../../parts/read/use-read.js'
import { Table } from '../../../parts/table/table.js'
import { LossChart } from '../loss-chart.js'
import { HeldOutLabelsPart } from './held-out-labels.js'
import { figure } from './runs.js'
/** @typedef {import('zod').output<typeof import('../../../../core/learn/wire/distill/runs.ts').RunDetail>} Run */
/** @typedef {Run['checkpoints'][number]} Checkpoint */

const KINDS = ['stage', 'progress', 'spend', 'end']

/** One run, as its stages and its figures come. */
export function RunPage() {
  const { argument } = usePage()
  const path = `/v1/distill/runs/${encodeURIComponent(argument)}`
  const [seen, setSeen] = useState(0)
  const read = useRead(
    async (signal) => {
      /** @type {{ run: Run }} */
      const { run } = await get(path, signal)
      return run
    },
    [argument, seen],
  )
  useEffect(() => {
    const leaving = new AbortController()
    followEvents({
      path: `${path}/stream`,
      kinds: KINDS,
      signal: leaving.signal,
      look: async () => {
        /** @type {{ run: Run }} */
        const { run } = await get(path, leaving.signal)
        return run.finished_at === null
      },
      isFinal: () => true,
      onError: () => undefined,
      onCut: () => undefined,
      onEvent(kind, data) {
        setSeen(data.seq)
        return kind === 'end'
      },
    })
    return () => leaving.abort()
  }, [path])
  return html`<${Reading} of=${read}>${(/** @type {Run} */ run) => html`<${Shown} run=${run} />`}<//>`
}

/** @param {{ run: Run }} props */
function Shown({ run }) {
  const { counts, artifact_id: artifact, dataset_id: dataset, adapter_url: adapter } = run
  const losses = run.progress.flatMap(({ step, loss, validation_loss: validationLoss }) =>
    loss === undefined ? [] : [{ step, loss, validationLoss: validationLoss ?? undefined }],
  )
  return html`<${Facts}
      facts=${[
        ['Namespace', run.namespace],
        ['State', run.state === 'running' ? `running: ${run.stage}` : formatState(run.state, run.error)],
        [
          'Rows',
          `${formatNumber(counts.rows)}: ${formatNumber(counts.train)} learned from, ${formatNumber(counts.held_out)} held out, ${formatNumber(counts.put_aside)} put aside, ${formatNumber(counts.relabelled)} relabelled`,
        ],
        run.teacher !== null && ['Teacher', `${run.teacher}, ${formatNumber(counts.teacher_samples)} samples`],
        ['Loss', `${figure(run.loss_final)} after ${formatNumber(run.step_count)} steps`],
        ...measuredFacts(run),
        ['K', figure(run.k_final)],
        ['Spend', run.spend_usd === null ? 'not known' : `${run.spend_usd.toFixed(4)} USD`],
        dataset !== null && ['Dataset', html`<a href="#/dataset/${dataset}">${dataset}</a>`],
        run.job_id !== null && ['Compile', html`<a href="#/job/${run.job_id}">${run.job_id}</a>`],
        [
          'Artifact',
          artifact === null
            ? `none${run.unsigned_reason === null ? '' : `: ${run.unsigned_reason}`}`
            : html`<a href="#/artifact/${artifact}">${artifact}</a>`,
        ],
        ['Started', formatInstant(run.created_at)],
      ]}
    />
    ${adapter !== null && html`<a class="button small" href=${adapter} download=${`${run.run_id}.zip`}>Adapter files</a>`}
    ${run.held_out_labels !== null && html`<${HeldOutLabelsPart} labels=${run.held_out_labels} kScore=${run.k_final} />`}
    <${Heading} text="Stages" />
    <ol aria-label="Stages">
      ${run.stages.map(
        ({ stage, at }) => html`<li key=${stage}>${stage} <time datetime=${at}>${formatInstant(at)}</time></li>`,
      )}
    </ol>
    <${LossChart} points=${losses} />
    ${
      run.checkpoints.length > 0 &&
      html`<${Heading} text="Checkpoints" />
        <${Table}
          caption="Measured on rows that the fit sets aside"
          rows=${run.checkpoints}
          empty="None."
          keyOf=${(/** @type {Checkpoint} */ { step }) => String(step)}
          columns=${CHECKPOINTS}
        />`
    }`
}

/** @type {readonly import('../../../parts/table/table.js').Column<Checkpoint>[]} */
const CHECKPOINTS = [
  { title: 'Step', cell: ({ step, is_best: isBest }) => `${formatNumber(step)}${isBest ? ' (best)' : ''}` },
  { title: 'Validation loss', cell: ({ validation_loss: loss }) => figure(loss), isNumeric: true },
  {
    title: 'Right answers',
    cell: ({ accuracy }) => (accuracy === null ? '–' : formatPercent(accuracy)),
    isNumeric: true,
  },
]

/** The newest of the figures that only some runs measure.
 *
 * @param {Run} run
 */
function measuredFacts({ progress }) {
  const margin = progress.findLast((step) => step.reward_margin !== undefined)
  const kept = progress.findLast((step) => step.bits_per_byte !== undefined)
  return [
    ...(margin === undefined
      ? []
      : [
          [
            'Rewards',
            `${figure(margin.reward_accuracy ?? null)} right, margin ${figure(margin.reward_margin ?? null)}`,
          ],
        ]),
    ...(kept === undefined ? [] : [['Bits per byte of neutral text', figure(kept.bits_per_byte ?? null)]]),
  ]
}
