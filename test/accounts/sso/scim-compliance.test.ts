import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { givenBusiness, useSsoServer } from '../../support/identity/sso.ts'

const SCRIPT = fileURLToPath(new URL('scim_compliance.py', import.meta.url))
const TIMEOUT_MS = 300_000
/** Checks that ask for something else than this service does, each with the reason. */
const OTHERWISE: readonly (readonly [RegExp, string])[] = [
  [/_endpoint_methods: |^random_url: /, "what no route answers is 404 in the service's own form, as everywhere"],
  [/^search_with_attributes: The server answered 404/, 'there is a search of users and one of groups, none of both'],
  [/^check_remove_attribute: .* 'active'$/, 'who is no longer active is answered as inactive'],
  [
    /^check_\w+_attribute: PATCH modify\(\) returned unexpected value for 'members'/,
    "a member's display is their own name",
  ],
]

interface Check {
  readonly title: string
  readonly status: string
  readonly reason: string | null
}

describe('the compliance checks of scim2-tester', () => {
  const server = useSsoServer()

  it('pass', async function () {
    const python = process.env['SVC_SCIM_PYTHON'] ?? ''
    if (python === '') return this.skip()
    this.timeout(TIMEOUT_MS)
    const tenant = await givenBusiness(server)
    const minted = await server.api.call('POST', '/v1/account/sso/scim-token', { key: tenant.key })
    const address = `${server.api.url}/scim/v2`
    const { stdout } = await promisify(execFile)(python, [SCRIPT, address, minted.body.scim_token], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const checks: readonly Check[] = JSON.parse(stdout)
    expect(checks.filter(({ status }) => status === 'SUCCESS')).not.to.deep.equal([])
    const failed = checks
      .filter(({ status }) => !['SUCCESS', 'COMPLIANT', 'ACCEPTABLE', 'SKIPPED'].includes(status))
      .map(({ title, reason }) => `${title}: ${reason}`)
      .filter((line) => !OTHERWISE.some(([pattern]) => pattern.test(line)))
    expect(failed).to.deep.equal([])
  })
})
