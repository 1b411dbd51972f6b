import { z } from 'zod'

/** Client registration at a sign-in provider. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
}

/** The providers of sign-in that the operator registered the service with. */
export interface OAuthEnvironment {
  readonly google?: OAuthClient & { readonly issuer: string }
  readonly github?: OAuthClient & { readonly url: string; readonly apiUrl: string }
}

const HttpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'must be an address that starts with http:// or https://',
  })
  .transform((text) => text.replace(/\/+$/, ''))

/** The variables of sign-in through others, as part of the environment's schema. */
export const OAUTH_VARIABLES = {
  SVC_OAUTH_GOOGLE_CLIENT_ID: z.string().optional(),
  SVC_OAUTH_GOOGLE_CLIENT_SECRET: z.string().optional(),
  SVC_OAUTH_GOOGLE_ISSUER: HttpUrl.default('https://accounts.google.com'),
  SVC_OAUTH_GITHUB_CLIENT_ID: z.string().optional(),
  SVC_OAUTH_GITHUB_CLIENT_SECRET: z.string().optional(),
  SVC_OAUTH_GITHUB_URL: HttpUrl.default('https://github.com'),
  SVC_OAUTH_GITHUB_API_URL: HttpUrl.default('https://api.github.com'),
}

type OAuthVariables = z.output<z.ZodObject<typeof OAUTH_VARIABLES>>

/** Reads the providers whose client is set; returns a line for each incomplete pair of variables. */
export function readOAuth(variables: OAuthVariables): {
  readonly oauth: OAuthEnvironment
  readonly problems: readonly string[]
} {
  const google = clientOf(variables.SVC_OAUTH_GOOGLE_CLIENT_ID, variables.SVC_OAUTH_GOOGLE_CLIENT_SECRET, 'GOOGLE')
  const github = clientOf(variables.SVC_OAUTH_GITHUB_CLIENT_ID, variables.SVC_OAUTH_GITHUB_CLIENT_SECRET, 'GITHUB')
  return {
    problems: [...google.problems, ...github.problems],
    oauth: {
      ...(google.client !== undefined && { google: { ...google.client, issuer: variables.SVC_OAUTH_GOOGLE_ISSUER } }),
      ...(github.client !== undefined && {
        github: {
          ...github.client,
          url: variables.SVC_OAUTH_GITHUB_URL,
          apiUrl: variables.SVC_OAUTH_GITHUB_API_URL,
        },
      }),
    },
  }
}

function clientOf(
  clientId: string | undefined,
  clientSecret: string | undefined,
  name: string,
): { readonly client?: OAuthClient; readonly problems: readonly string[] } {
  if (clientId === undefined && clientSecret === undefined) return { problems: [] }
  if (clientId === undefined || clientSecret === undefined) {
    return { problems: [`SVC_OAUTH_${name}_CLIENT_ID, SVC_OAUTH_${name}_CLIENT_SECRET: give both or neither`] }
  }
  return { problems: [], client: { clientId, clientSecret } }
}
