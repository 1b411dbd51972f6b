import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../parts/buttons/copy.js'
import { Segments } from '../../parts/buttons/segments.js'
import { CodeBlock } from '../../parts/code-block.js'

/** @type {readonly (readonly [value: string, text: string])[]} */
const SDKS = [
  ['python', 'Python'],
  ['javascript', 'JavaScript'],
  ['environment', 'Environment'],
]

/** Instructions for a first call, with the address of this service; shown while there is none. */
export function FirstCall() {
  const [sdk, setSdk] = useState('python')
  const text = snippetOf(sdk, location.origin)
  return html`<section class="card large" aria-labelledby="first-call">
    <h2 id="first-call">Point an SDK at this service</h2>
    <p>
      Every call of a model then shows here: where it went and why, what it cost, and its capture. Approved captures
      compile to an artifact that answers in the model's place.
    </p>
    <${Segments} label="SDK" options=${SDKS} chosen=${sdk} choose=${setSdk} />
    <${CodeBlock} label="The first call" text=${text} />
    <div class="buttons">
      <${CopyButton} text=${text} label="Copy" />
      <a class="button" href="#/keys">Make a key</a>
      <a class="button" href="/docs/guides/gateway">Guide to the gateway</a>
    </div>
    <p class="quiet">The call needs a key at the provider: the operator's, or your own in the vault.</p>
    <p class="quiet"><code>svc gateway test</code> tries the keys.</p>
  </section>`
}

/**
 * @param {string} sdk
 * @param {string} origin
 */
function snippetOf(sdk, origin) {
  switch (sdk) {
    case 'javascript':
      return `import OpenAI from 'openai'
const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: 'ks_…' })
await client.chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is my parcel?' }] })`
    case 'environment':
      return `export OPENAI_BASE_URL=${origin}/v1 OPENAI_API_KEY=ks_…
export ANTHROPIC_BASE_URL=${origin} ANTHROPIC_API_KEY=ks_…
export GOOGLE_GEMINI_BASE_URL=${origin} GEMINI_API_KEY=ks_…`
    default:
      return `from openai import OpenAI
client = OpenAI(base_url="${origin}/v1", api_key="ks_…")
client.chat.completions.create(model="gpt-4o-mini", messages=[{"role": "user", "content": "Where is my parcel?"}])`
  }
}
