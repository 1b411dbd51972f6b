import type { Scope } from '../../scopes.ts'
import { scopesOfRole } from '../roles.ts'

/** A named choice of scopes for a new key. */
export interface ScopePreset {
  readonly id: string
  readonly name: string
  /** A sentence that says what a key with these scopes can do. */
  readonly description: string
  readonly scopes: readonly string[]
}

/** The presets, narrowest first. */
export const SCOPE_PRESETS = [
  {
    id: 'run',
    name: 'Run only',
    description: 'Run concepts and artifacts, and nothing else',
    scopes: ['run'] satisfies readonly Scope[],
  },
  {
    id: 'read-only',
    name: 'Read only',
    description: 'Read everything except keys, the audit log, billing, single sign-on, receipt secrets and metrics',
    scopes: scopesOfRole('viewer'),
  },
  {
    id: 'ci',
    name: 'CI',
    description: 'Compile, wait for the result, download the artifact and run it',
    scopes: ['compile:read', 'compile:write', 'run', 'concepts:read', 'artifacts:read'] satisfies readonly Scope[],
  },
] as const satisfies readonly ScopePreset[]

/** The ids of the presets. */
export const PRESET_IDS = SCOPE_PRESETS.map(({ id }) => id)
/** The id of a preset. */
export type PresetId = (typeof SCOPE_PRESETS)[number]['id']

/** Returns the scopes of a preset. */
export function scopesOfPreset(id: PresetId): readonly string[] {
  return SCOPE_PRESETS.find((preset) => preset.id === id)?.scopes ?? []
}

/** Returns the name of the preset that has exactly these scopes; null when there is none. */
export function presetNameOf(scopes: readonly string[]): string | null {
  const held = new Set(scopes)
  const isSame = (preset: ScopePreset) =>
    preset.scopes.length === held.size && preset.scopes.every((scope) => held.has(scope))
  return SCOPE_PRESETS.find(isSame)?.name ?? null
}
