import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NO_TEMPORAL, useApi } from '../../../support/api.ts'
import type { ScriptedModel } from '../../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../../support/providers/server.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { stripeSettings } from '../../../support/stripe/objects.ts'
import { DOOR_TABLES } from './tables.ts'

const BASES = fileURLToPath(new URL('../../../../bases', import.meta.url))
const GITHUB = { clientId: 'client', clientSecret: 'secret', url: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:1' }

describe('a limit that SVC_LIMITS moves shows at its door', () => {
  let model: ScriptedModel = () => ({ texts: ['ok'] })
  let provider: ProviderServer
  before(async () => {
    provider = await startProvider('chat-completions', async (call) => await model(call))
  })
  after(async () => await provider.close())
  const bases = mkdtempSync(join(tmpdir(), 'svc-doors-'))
  after(async () => await rm(bases, { recursive: true, force: true }))
  const database = useDatabase()
  const settings = {
    isMailConfigured: true,
    baseFolders: [BASES, bases],
    oauth: { github: GITHUB },
    stripe: stripeSettings('http://127.0.0.1:1'),
    // Read when the server starts; only then the provider has an address.
    get upstreams() {
      const reach = { baseUrl: provider.baseUrl.replace(/\/v1$/, ''), apiKey: provider.apiKey }
      // The one is asked in the caller's dialect, and calls of the other are translated.
      return { openai: reach, openrouter: reach }
    },
  }

  for (const [title, doors] of Object.entries(DOOR_TABLES)) {
    describe(title, () => {
      const limits = Object.fromEntries(Object.entries(doors).map(([name, { at }]) => [name, at]))
      const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), settings, limits })
      const answer = (next: ScriptedModel): void => {
        model = next
      }
      for (const [name, { at, shows }] of Object.entries(doors)) {
        it(`${name}, moved to ${at}`, async () => await shows({ api, bases, answer }, at))
      }
    })
  }
})
