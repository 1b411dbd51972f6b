import { z } from 'zod'

const ScopeRow = z
  .object({
    scope: z.string(),
    description: z.string().meta({ description: 'What the scope allows, in a sentence' }),
    routes: z
      .array(z.string())
      .meta({ description: 'The routes that require it; empty for one that none requires yet' }),
  })
  .meta({
    id: 'Scope',
    example: { scope: 'run', description: 'Run concepts, versions and artifacts', routes: ['POST /v1/run'] },
  })

const PresetRow = z
  .object({ id: z.string(), name: z.string(), description: z.string(), scopes: z.array(z.string()) })
  .meta({ id: 'ScopePreset', description: 'A named choice of scopes for a new key' })

/** Answer of `GET /v1/scopes`. */
export const ListScopesAnswer = z.object({
  scopes: z.array(ScopeRow),
  presets: z.array(PresetRow).meta({ description: 'Narrowest first' }),
  roles: z.record(z.string(), z.array(z.string())),
})
