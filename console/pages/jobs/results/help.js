import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { usePage } from '../../../app/use-page.js'
import { formatNumber, formatScore } from '../../../parts/format.js'
import { say } from '../../../parts/say.js'
import { acceptJob } from './accept.js'
/** @typedef {import('../job.js').Job} Job */
/** @typedef {import('./choice.js').Choice} Choice */
/** @typedef {NonNullable<Job['production_reasons']>[number]} Reason */
/** @typedef {NonNullable<Job['what_would_help']>[number]} Help */

/** Pause between two looks at an archive that is being signed, milliseconds. */
const LOOK_MS = 2000
/** Odd rows that are named. */
const MOST_NAMED = 5

const ODD = {
  output_unlike_others: 'its expected output breaks a rule that the other rows keep',
  input_unlike_others: 'its input is unlike the others',
  no_kind_right: 'no kind of recipe gets it right',
}

/**
 * Suggestions for a gated job, most useful first, and its actions.
 *
 * @param {{ job: Job, run: (work: () => Promise<unknown>) => void, show: (choice: Choice) => void }} props `show` sets
 *   what the table of rows shows
 */
export function WhatWouldHelp({ job, run, show }) {
  const { session, reload } = usePage()
  const { accepted, what_would_help: help = [], production_reasons: reasons = [] } = job
  const few = reasons.find(({ code }) => code === 'few_rows_to_learn_from')
  const isPending = accepted?.state === 'pending'
  useEffect(() => {
    if (!isPending) return undefined
    const timer = setTimeout(reload, LOOK_MS)
    return () => clearTimeout(timer)
  }, [job])
  if (job.status !== 'gated') return null
  const accept = async () => {
    if (!(await acceptJob(job))) return
    say('The job is accepted.')
    reload()
  }
  const advise = (/** @type {Help} */ one, /** @type {number} */ place) =>
    html`<li key=${`${one.kind} ${place}`}><${Advice} ...${{ one, job, show, mayCompile }} /></li>`
  const mayCompile = session.can('compile:write')
  const mayAccept = mayCompile && job.recipe_kind !== undefined && !isPending
  return html`<section aria-labelledby="help">
    <h2 id="help">What would help</h2>
    ${accepted && html`<${Acceptance} accepted=${accepted} />`}
    ${
      (help.length > 0 || few !== undefined) &&
      html`<ol class="help">
        ${help.filter(isAboutRows).map(advise)} ${few && html`<li><${MoreRows} few=${few} /></li>`}
        ${help.filter((one) => !isAboutRows(one)).map(advise)}
      </ol>`
    }
    ${
      mayCompile &&
      html`<div class="buttons">
        <a class="button primary" href="#/again/${job.id}">Edit rows and compile again</a>
        ${
          mayAccept &&
          html`<button type="button" onClick=${() => run(accept)}>Accept at K ${formatScore(job.k_score)}</button>`
        }
      </div>`
    }
  </section>`
}

/**
 * Better rows come before another floor or another kind.
 *
 * @param {Help} help
 */
function isAboutRows({ kind }) {
  return kind !== 'lower_floor' && kind !== 'other_kind'
}

/** @param {{ few: Reason }} props */
function MoreRows({ few }) {
  return html`<div>
    <b>Add examples like the rows that are wrong.</b>
    <p class="quiet">For production: ${few.text}.</p>
  </div>`
}

/** @param {{ accepted: NonNullable<Job['accepted']> }} props */
function Acceptance({ accepted: { state, error_code: code } }) {
  if (state === 'pending')
    return html`<p class="notice" role="status">The job is accepted. Its archive is being signed …</p>`
  if (state === 'signed') return null
  return html`<p class="notice">
    The archive could not be signed (${code ?? 'failed'}). Nothing was charged; you can accept again.
  </p>`
}

/** @param {{ one: Help, job: Job, show: (choice: Choice) => void, mayCompile: boolean }} props */
function Advice({ one, job, show, mayCompile }) {
  const showRows = (/** @type {Partial<Choice>} */ choice) =>
    html`<button type="button" class="small" onClick=${() => show({ only: '', side: '', ...choice })}>
      Show the rows
    </button>`
  switch (one.kind) {
    case 'label_rows':
      return html`<div>
          <b>Give the ${count(one.rows.length, 'answer')} that would help the most.</b>
          <p class="quiet">
            The candidates disagree about ${one.rows.length === 1 ? 'this input' : 'these inputs'}, or have no answer.
          </p>
        </div>
        ${showRows({ side: 'to_label' })}`
    case 'contradictory_rows':
      return html`<div>
        <b>Correct ${count(one.inputs, 'input')} with several answers.</b>
        <p class="quiet">
          The most frequent answer was kept; ${count(one.rows_removed, 'row')}
          ${one.rows_removed === 1 ? 'was' : 'were'} left out.
        </p>
      </div>`
    case 'odd_rows':
      return html`<div>
          <b>Check ${count(one.rows.length, 'row')} that ${one.rows.length === 1 ? 'looks' : 'look'} odd.</b>
          <ul class="quiet">
            ${one.rows
              .slice(0, MOST_NAMED)
              .map(
                ({ id, reasons }) =>
                  html`<li key=${id}><code>${id}</code>: ${reasons.map((reason) => ODD[reason]).join('; ')}</li>`,
              )}
            ${one.rows.length > MOST_NAMED && html`<li>and ${formatNumber(one.rows.length - MOST_NAMED)} more</li>`}
          </ul>
        </div>
        ${showRows({ only: 'wrong' })}`
    case 'lower_floor':
      return html`<div>
        <b>Lower the floor to ${formatNumber(one.k_score_floor)}.</b>
        <p class="quiet">
          The best candidate has K ${formatScore(one.k_score)}; this job has the floor${' '}
          ${formatScore(job.k_score_floor)}.
        </p>
      </div>`
    case 'other_kind':
      return html`<div>
          <b>Allow another kind: ${one.recipe_kind === 'lora' ? 'an adapter' : one.recipe_kind}.</b>
          <p class="quiet">${kindWords(one)}</p>
        </div>
        ${mayCompile && html`<a class="button small" href="#/again/${job.id}:${one.recipe_kind}">Compile with it</a>`}`
  }
}

/** @param {Extract<Help, { kind: 'other_kind' }>} help */
function kindWords({ k_score: score, reaches_floor: reaches }) {
  if (score === null) return 'This job fitted no adapter, since its base model was “none”.'
  return `It has K ${formatScore(score)}${reaches === true ? ', which reaches the floor' : ', still below the floor'}.`
}

/**
 * @param {number} n
 * @param {string} noun
 */
function count(n, noun) {
  return `${formatNumber(n)} ${noun}${n === 1 ? '' : 's'}`
}
