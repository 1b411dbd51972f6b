import { createGithub, type GithubSettings } from './github.ts'
import { createGoogle, type GoogleSettings } from './google.ts'
import { OAUTH_PROVIDER_IDS, type OAuthProviders } from './provider.ts'

/** How the service is known at each provider; a provider that is absent cannot be used. */
export interface OAuthSettings {
  readonly google?: GoogleSettings | undefined
  readonly github?: GithubSettings | undefined
}

/** Opens the providers. Nothing is asked of them yet. */
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
