import { z } from 'zod'

/** SMTP settings of the operator. */
export interface MailEnvironment {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte. */
  readonly smtpUrl: string
  /** Address that mails come from, with or without a name before it. */
  readonly from: string
}

/** The variables of mail, as part of the environment's schema. */
export const MAIL_VARIABLES = {
  SVC_SMTP_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol), {
      error: 'must be an address that starts with smtp:// or smtps://',
    })
    .optional(),
  SVC_MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, {
      error: 'must be an e-mail address, or a name and an address in <>',
    })
    .optional(),
}

type MailVariables = z.output<z.ZodObject<typeof MAIL_VARIABLES>>

/** Reads the mail server if it is set; returns a line for each missing variable. */
export function readMail(variables: MailVariables): {
  readonly mail?: MailEnvironment
  readonly problems: readonly string[]
} {
  const { SVC_SMTP_URL: smtpUrl, SVC_MAIL_FROM: from } = variables
  if (smtpUrl === undefined) return { problems: [] }
  if (from === undefined) return { problems: ['SVC_MAIL_FROM: is required with SVC_SMTP_URL'] }
  return { problems: [], mail: { smtpUrl, from } }
}
