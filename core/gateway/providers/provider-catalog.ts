import { MACHINE_PROVIDERS, type MachineProviderId } from './machine-providers.ts'

/** A provider of models whose keys customers may store. */
export interface ModelProvider {
  readonly id: string
  readonly label: string
}

/** Providers of models whose keys the vault accepts. */
export const MODEL_PROVIDERS = [
  { id: 'openai', label: 'OpenAI' },
  { id: 'anthropic', label: 'Anthropic' },
  { id: 'google', label: 'Google Gemini' },
  { id: 'deepseek', label: 'DeepSeek' },
  { id: 'azure-openai', label: 'Azure OpenAI' },
  { id: 'mistral', label: 'Mistral AI' },
  { id: 'cohere', label: 'Cohere' },
  { id: 'groq', label: 'Groq' },
  { id: 'together', label: 'Together AI' },
  { id: 'fireworks', label: 'Fireworks AI' },
  { id: 'bedrock', label: 'Amazon Bedrock' },
  { id: 'openrouter', label: 'OpenRouter' },
] as const satisfies readonly ModelProvider[]

/** The id of one of them. */
export type ModelProviderId = (typeof MODEL_PROVIDERS)[number]['id']

/** Returns true for the id of a provider of models whose keys the vault accepts. */
export function isModelProvider(id: string): id is ModelProviderId {
  return MODEL_PROVIDERS.some((provider) => provider.id === id)
}

/** Every provider whose keys the vault accepts: of models, and of machines. */
export const VAULT_PROVIDERS: readonly ModelProvider[] = [...MODEL_PROVIDERS, ...MACHINE_PROVIDERS]

/** The id of one of them. */
export type VaultProviderId = ModelProviderId | MachineProviderId
