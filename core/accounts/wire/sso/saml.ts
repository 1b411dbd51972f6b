import { z } from 'zod'

/** Form fields of `POST /v1/account/saml/acs`. */
export const SamlResponseBody = z.object({
  SAMLResponse: z.string().min(1).max(1_000_000).meta({ description: 'Base64 of the response' }),
  RelayState: z
    .string()
    .max(2000)
    .optional()
    .meta({ description: '`tenant:<id>` names the organisation; otherwise the response does' }),
})

/** Answer of `POST /v1/account/saml/acs`. */
export const ConsumeAssertionAnswer = z.object({
  tenant: z.object({ id: z.string(), name: z.string() }),
  email: z.string(),
  name_id: z.string(),
  session_id: z.string(),
  redirect: z.string(),
})
