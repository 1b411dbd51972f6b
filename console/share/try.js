// The try-it of a share link's page: runs the artifact on a typed input and shows the answer.

import { rawTextIn } from '../parts/form/text-in.js'

/** @typedef {import('zod').output<typeof import('../../core/compile/wire/share/run.ts').SharedRunAnswer>} Answer */
/** @typedef {{ code?: string, error?: string }} Refusal */

const ENDED = 'This link has ended. Ask the person who sent it to you for a new one.'

/** Texts for refusals that end the try-it. */
const ENDS = new Map([
  ['share_link_expired', ENDED],
  ['artifact_expired', ENDED],
  ['artifact_revoked', ENDED],
  ['not_found', ENDED],
  ['share_run_not_allowed', 'The owner of this link no longer allows runs.'],
  ['share_runs_used', 'All runs of this link are used. Ask the person who sent it to you for a new one.'],
])

const found = document.querySelector('form[data-run]')
if (found instanceof HTMLFormElement) start(found)

/** @param {HTMLFormElement} form */
function start(form) {
  const answer = form.querySelector('[data-answer]')
  const button = form.querySelector('button')
  if (answer === null || button === null) return
  form.hidden = false
  const submit = async () => {
    button.setAttribute('aria-disabled', 'true')
    answer.replaceChildren()
    try {
      await run(form, answer)
    } catch (error) {
      answer.replaceChildren(trouble(error instanceof Error ? error.message : 'The run failed.'))
    } finally {
      button.removeAttribute('aria-disabled')
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (button.getAttribute('aria-disabled') !== 'true') void submit()
  })
}

/**
 * @param {HTMLFormElement} form
 * @param {Element} answer
 */
async function run(form, answer) {
  const input = inputIn(form)
  const response = await send(form.dataset['run'] ?? '', input)
  const body = await response.json().catch(() => ({}))
  if (response.ok) {
    showAnswer(form, answer, body)
    return
  }
  const end = ENDS.get(body.code)
  if (end === undefined) throw new Error(sentenceOf(body, response))
  const notice = trouble(end)
  // The focus was in the form, which goes.
  notice.tabIndex = -1
  form.replaceWith(notice)
  notice.focus()
}

/**
 * Returns the input that the form holds: an object of its fields, or one value.
 *
 * @param {HTMLFormElement} form
 * @returns {unknown}
 */
function inputIn(form) {
  const data = new FormData(form)
  const members = [...form.querySelectorAll('[data-member]')].filter((field) => field instanceof HTMLElement)
  if (members.length === 0) {
    const text = rawTextIn(data, 'input')
    return data.get('form') === 'json' ? parsed(text) : text
  }
  return Object.fromEntries(
    members.map(({ id, dataset }) => {
      // The line ends of a form are those of the web; the text's own are line feeds.
      const text = rawTextIn(data, id).replaceAll('\r\n', '\n')
      return [dataset['member'], typed(text, dataset['kind'])]
    }),
  )
}

/**
 * @param {string} text
 * @param {string | undefined} kind
 */
function typed(text, kind) {
  if (kind === 'number') return Number(text)
  return kind === 'boolean' ? text === 'true' : text
}

/**
 * @param {string} url
 * @param {unknown} input
 */
async function send(url, input) {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ input }),
      credentials: 'omit',
    })
  } catch (error) {
    throw new Error('The service cannot be reached. Check the connection, then try again.', { cause: error })
  }
}

/**
 * @param {Refusal} refusal
 * @param {Response} response
 */
function sentenceOf({ code, error }, response) {
  const waitS = response.headers.get('Retry-After') ?? '60'
  if (code === 'rate_limited') return `Too many runs from your network. Try again in ${waitS} s.`
  if (error === undefined) return `The service answered with status ${response.status}. Try again in a minute.`
  return `${error.charAt(0).toUpperCase()}${error.slice(1)}. (${code})`
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('The input is not valid JSON. Correct it, or choose Text.', { cause: error })
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Element} place
 * @param {Answer} answer
 */
function showAnswer(form, place, { output, abstained, confidence, unlike_examples: isUnlike, runs_left: left }) {
  const notes = [
    ...(confidence === null ? [] : [`Confidence ${Math.round(confidence * 100)} %.`]),
    ...(isUnlike === true ? ['The input is unlike the examples that the artifact was compiled from.'] : []),
  ]
  const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
  place.replaceChildren(
    abstained
      ? element('p', 'notice', 'No answer: the artifact has none for such an input, or it is in doubt.')
      : element('pre', 'output', text),
    ...(notes.length === 0 ? [] : [element('p', 'quiet', notes.join(' '))]),
  )
  const counter = form.querySelector('[data-left]')
  if (counter !== null)
    counter.textContent = left === 1 ? '1 run of this link left.' : `${left} runs of this link left.`
}

/** @param {string} text */
function trouble(text) {
  const box = element('div', 'error', '')
  box.setAttribute('role', 'alert')
  box.append(element('p', '', text))
  return box
}

/**
 * @param {string} name
 * @param {string} className
 * @param {string} text
 */
function element(name, className, text) {
  const made = document.createElement(name)
  if (className !== '') made.className = className
  made.textContent = text
  return made
}
