import { html } from 'htm/preact'
import { get } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { Badge } from '../../../parts/badge.js'
import { ErrorBox, useActions } from '../../../parts/error.js'
import { formatInstant, formatWord } from '../../../parts/format.js'
import { loadPart } from '../../../parts/read/load-part.js'
import { Reading } from '../../../parts/read/reading.js'
import { useRead } from '../../../parts/read/use-read.js'
import { Table } from '../../../parts/table/table.js'
/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/artifacts/life.ts').LifecycleAnswer>} LifeAnswer */
/** @typedef {LifeAnswer['history'][number]} Transition */
/** @typedef {import('../artifact.js').Artifact} Artifact */

/**
 * The life of an artifact: its state, the transitions so far, and the transitions allowed now.
 *
 * @param {{ artifact: Artifact }} props
 */
export function Life({ artifact }) {
  const path = `/v1/artifacts/${encodeURIComponent(artifact.id)}/lifecycle`
  const read = useRead(async (signal) => await get(path, signal), [path])
  return html`<section aria-labelledby="life">
    <h2 id="life">Life</h2>
    <${Reading} of=${read}>
      ${(/** @type {LifeAnswer} */ life) => html`<${LifeView} artifact=${artifact} life=${life} />`}
    <//>
  </section>`
}

/** @param {{ artifact: Artifact, life: LifeAnswer }} props */
function LifeView({ artifact, life }) {
  const { session, reload } = usePage()
  const actions = useActions()
  const move = (/** @type {LifeAnswer['valid_transitions'][number]} */ to) =>
    actions.run(async () => {
      const { moveArtifact } = await loadPart(async () => await import('./move-artifact.js'))
      if (await moveArtifact(artifact, to)) reload()
    })
  return html`<p class="row">
      <${Badge} status=${life.current_state} />
      ${life.effects === 'pending' && html`<span class="quiet">Links, exports and dependants follow within seconds.</span>`}
    </p>
    <${ErrorBox} error=${actions.error} />
    ${session.can('artifacts:write') && html`<${Moves} states=${life.valid_transitions} move=${move} />`}
    <${Table} caption="Transitions, oldest first" rows=${life.history} empty="No transition yet." columns=${COLUMNS} />`
}

/** @param {{ states: LifeAnswer['valid_transitions'], move: (to: LifeAnswer['valid_transitions'][number]) => void }} props */
function Moves({ states, move }) {
  if (states.length === 0) return html`<p class="quiet">This state is final.</p>`
  return html`<div class="buttons" role="group" aria-label="Move to">
    ${states.map(
      (state) =>
        html`<button
          type="button"
          key=${state}
          class=${state === 'revoked' ? 'danger' : undefined}
          onClick=${() => move(state)}
        >
          ${state === 'revoked' ? 'Revoke' : `Move to ${formatWord(state)}`}
        </button>`,
    )}
  </div>`
}

/** The actor of a transition, by the kind of the credential. */
const ACTORS = /** @type {Readonly<Record<string, string>>} */ ({
  system: 'the service',
  session: 'a person in a browser',
  key: 'an API key',
})

/** @type {readonly import('../../../parts/table/table.js').Column<Transition>[]} */
const COLUMNS = [
  { title: 'When', cell: ({ timestamp: at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
  { title: 'From', cell: ({ from }) => formatWord(from) },
  { title: 'To', cell: ({ to }) => html`<${Badge} status=${to} />` },
  { title: 'By', cell: ({ actor }) => html`<span title=${actor}>${actorInWords(actor)}</span>` },
  {
    title: 'Reason',
    cell: ({ reason, successor_id: successor }) =>
      html`${reason ?? ''}${
        successor !== undefined && html` <a class="id" href="#/artifact/${successor}">its successor</a>`
      }`,
    isWide: true,
  },
]

/** @param {string} actor kind and id of a credential */
function actorInWords(actor) {
  const kind = actor.split(':', 1)[0] ?? ''
  return ACTORS[kind] ?? formatWord(kind)
}
