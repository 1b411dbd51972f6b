import { createGithub, type GithubSettings } from './github.ts'
import { createGoogle, type GoogleSettings } from './google.ts'
import { OAUTH_PROVIDER_IDS, type OAuthProviders } from './provider.ts'

/** Client registrations by provider; a provider that is absent cannot be used. */
export interface OAuthSettings {
  readonly google?: GoogleSettings | undefined
  readonly github?: GithubSettings | undefined
}

/** Creates the providers. Sends no request yet. */
export function createOAuthProviders(settings: OAuthSettings): OAuthProviders {
  const providers = {
    google: settings.google === undefined ? null : createGoogle(settings.google),
    github: settings.github === undefined ? null : createGithub(settings.github),
  }
  return {
    configured: OAUTH_PROVIDER_IDS.filter((id) => providers[id] !== null),
    find: (id) => providers[id],
  }
}
