import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../support/api.ts'
import { runCli, type CliRun } from '../support/cli/run-cli.ts'
import { startLossyService, type LossyService } from '../support/cli/lossy-service.ts'

describe('svc keys, svc sessions, svc org and svc audit', () => {
  const api = useApi()
  let folder: string
  let tenant: ApiTenant
  let lossy: LossyService

  before(async () => {
    lossy = await startLossyService(api.url)
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-keys-'))
  })
  after(async () => {
    await lossy.close()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    const signedIn = await svc(['login'], { stdin: `${tenant.key}\n` })
    expect(signedIn.code, signedIn.stderr).to.equal(0)
  })

  const svc = async (
    args: readonly string[],
    more: { stdin?: string; env?: NodeJS.ProcessEnv } = {},
  ): Promise<CliRun> =>
    await runCli(args, {
      folder,
      profileDir: join(folder, 'profile'),
      env: { SVC_URL: api.url, ...more.env },
      ...(more.stdin !== undefined && { stdin: more.stdin }),
    })
  const profile = async () => JSON.parse(await readFile(join(folder, 'profile', 'svc', 'config.json'), 'utf8'))
  const status = async (key: string) => (await api.call('GET', '/v1/account', { key })).status
  const create = async (...args: readonly string[]) => {
    const made = await svc(['keys', 'create', ...args, '--json'])
    expect(made.code, made.stderr).to.equal(0)
    return JSON.parse(made.stdout)
  }

  it('make a key, show it that once, and list it without its secret', async () => {
    const made = await svc(['keys', 'create', '--scope', 'account:read', 'run', '--label', 'reader', '--days', '3'])
    expect(made.code, made.stderr).to.equal(0)
    const key = /^key +(ks_\S+)$/m.exec(made.stdout)?.[1] ?? ''
    expect(await status(key)).to.equal(200)
    expect(made.stdout)
      .to.match(/^scopes +account:read run$/m)
      .and.match(/^ends +20\d\d-/m)
    const [listed, asJson] = await Promise.all([svc(['keys', 'list']), svc(['keys', 'list', '--json'])])
    expect(listed.stdout)
      .to.match(/primary/)
      .and.match(new RegExp(`^${key.slice(0, 15)} .*reader +account:read run +scoped`, 'm'))
    for (const { stdout, stderr } of [listed, asJson]) {
      expect(stdout + stderr)
        .not.to.contain(key.slice(16))
        .and.not.contain(tenant.key.slice(16))
    }
    expect(JSON.parse(asJson.stdout).keys).to.have.length(2)
  })

  it('say what is wrong with what is asked for, and what can be asked for', async () => {
    for (const [args, code, says] of [
      [['keys', 'create'], 2, '--scope'],
      [['keys', 'create', '--preset', 'all'], 2, 'Allowed choices are run, read-only, ci'],
      [['keys', 'create', '--scope', 'nonsense:foo'], 2, 'nonsense:foo is not a published scope'],
      [['keys', 'create', '--scope', 'run', '--days', '0'], 2, 'from 1 to 3650'],
      [
        ['keys', 'create', '--scope', 'run', '--days', '1', '--expires', '2030-01-01T00:00:00Z'],
        2,
        'cannot be used with',
      ],
      [['keys', 'create', '--scope', 'run', '--expires', 'tomorrow'], 2, 'must be a time'],
      [['keys', 'revoke', 'ks_zzzzzzzzzzzz'], 2, 'no active key matches'],
      [['keys', 'revoke', tenant.key.slice(0, 15)], 2, 'svc keys rotate'],
      [['sessions', 'end', 'ses_00000000000000000000000000'], 1, 'not_found'],
    ] as const) {
      const answer = await svc(args)
      expect(answer.code, `${args.join(' ')}: ${answer.stderr}`).to.equal(code)
      expect(answer.stderr, args.join(' ')).to.contain(says)
    }
    const scopes = await svc(['keys', 'scopes'])
    expect(scopes.stdout)
      .to.match(/^run +Run concepts, versions and artifacts$/m)
      .and.match(/^ci +CI +Compile, wait/m)
    const help = await svc(['keys', '--help'])
    for (const name of ['list', 'scopes', 'create', 'revoke', 'rotate']) expect(help.stdout).to.contain(`  ${name}`)
  })

  it('make a key from a preset, with scopes added to it', async () => {
    const { api_key: key, scopes } = await create('--preset', 'ci', '--scope', 'audit:read', '--label', 'builds')
    expect(scopes).to.have.members([
      'compile:read',
      'compile:write',
      'run',
      'concepts:read',
      'artifacts:read',
      'audit:read',
    ])
    await create('--preset', 'run', '--label', 'runner')
    const { stdout } = await svc(['keys', 'list'])
    expect(stdout).to.match(/runner +Run only +scoped/)
    const calls = ['/v1/compile', '/v1/artifacts', '/v1/account'].map(
      async (path) => (await api.call('GET', path, { key })).status,
    )
    expect(await Promise.all(calls)).to.deep.equal([200, 200, 403])
  })

  it('take no whole key on the command line', async () => {
    const { api_key: key } = await create('--scope', 'run')
    for (const verb of ['revoke', 'rotate']) {
      const answer = await svc(['keys', verb, key])
      expect(answer.code).to.equal(2)
      expect(answer.stderr).to.contain('public part').and.not.contain(key.slice(16))
    }
  })

  it('revoke a key by its id or its public part', async () => {
    for (const field of ['id', 'key_prefix'] as const) {
      const made = await create('--scope', 'account:read')
      const revoked = await svc(['keys', 'revoke', made[field]])
      expect(revoked.code, revoked.stderr).to.equal(0)
      expect(revoked.stdout).to.contain(made.id)
      expect(await status(made.api_key)).to.equal(401)
    }
    expect((await svc(['keys', 'list'])).stdout).not.to.contain('revoked')
    expect((await svc(['keys', 'list', '--all'])).stdout.match(/revoked/g)).to.have.length(2)
  })

  it('replace the primary key, and keep the new one where the old one was', async () => {
    const labelled = await svc(['keys', 'rotate', '--label', 'laptop'])
    expect(labelled.code, labelled.stderr).to.equal(0)
    const first = /^key +(ks_\S+)$/m.exec(labelled.stdout)?.[1] ?? ''
    expect([await status(tenant.key), await status(first)]).to.deep.equal([401, 200])
    expect((await profile()).api_key).to.equal(first)
    const again = await svc(['keys', 'rotate', '--json'])
    const { api_key: second, ...facts } = JSON.parse(again.stdout)
    expect(facts).to.deep.equal({ replaced: first.slice(0, 15), kept_in_profile: true })
    expect((await profile()).api_key).to.equal(second)
    expect((await svc(['keys', 'list'])).stdout).to.match(/laptop .*primary/)
    const pinned = (await profile()).pinned_keys
    expect(pinned).to.have.length(1)
  })

  it('replace another key without touching the profile', async () => {
    const made = await create('--scope', 'account:read', '--label', 'reader')
    const before = await profile()
    const rotated = await svc(['keys', 'rotate', made.key_prefix, '--json'])
    const { api_key: key, kept_in_profile: isKept } = JSON.parse(rotated.stdout)
    expect([isKept, await status(made.api_key), await status(key)]).to.deep.equal([false, 401, 200])
    expect(await profile()).to.deep.equal(before)
    const wrong = await svc(['keys', 'rotate', key.slice(0, 15), '--label', 'other'])
    expect([wrong.code, await status(key)]).to.deep.equal([2, 200])
    // A key of the environment is none of the profile's.
    const other = await givenApiTenant(api)
    const foreign = await svc(['keys', 'rotate'], { env: { SVC_API_KEY: other.key } })
    expect(foreign.stdout).to.contain('not stored')
    expect([await status(other.key), await status(tenant.key)]).to.deep.equal([401, 200])
    expect(await profile()).to.deep.equal(before)
  })

  it('make no new key while the profile cannot be read', async () => {
    await writeFile(join(folder, 'profile', 'svc', 'config.json'), 'damaged')
    const refused = await svc(['keys', 'rotate'], { env: { SVC_API_KEY: tenant.key } })
    expect(refused.code, refused.stderr).to.equal(2)
    await rm(join(folder, 'profile', 'svc', 'config.json'))
    expect(await status(tenant.key)).to.equal(200)
  })

  it('say that a key may have been replaced when the answer does not come through', async () => {
    for (const answer of [
      { status: 502, body: '<h1>Bad gateway</h1>' },
      { status: 200, body: '<h1>Welcome</h1>' },
      { status: 500, body: JSON.stringify({ error: 'something went wrong', code: 'internal' }) },
    ]) {
      tenant = await givenApiTenant(api)
      lossy.lose({ method: 'DELETE', path: /^\/v1\/account\/keys\//, ...answer })
      const rotated = await svc(['keys', 'rotate'], { env: { SVC_URL: lossy.url, SVC_API_KEY: tenant.key } })
      expect([rotated.code, await status(tenant.key)], rotated.stderr).to.deep.equal([1, 401])
      expect(rotated.stderr).to.contain('It is unknown whether the key was replaced')
    }
    // What was refused was not done.
    const refused = await svc(['keys', 'rotate'], { env: { SVC_API_KEY: tenant.key } })
    expect(refused.stderr).to.contain('not valid').and.not.contain('It is unknown')
  })

  it('sign in although the session that checked the key cannot be ended', async () => {
    lossy.lose({ method: 'POST', path: /^\/v1\/session\/logout$/, status: 503, body: 'away' })
    const signedIn = await svc(['login'], { stdin: `${tenant.key}\n`, env: { SVC_URL: lossy.url } })
    expect(signedIn.code, signedIn.stderr).to.equal(0)
    expect(signedIn.stderr).to.contain('the session that checked the key')
    expect(await profile()).to.include({ url: lossy.url, api_key: tenant.key })
  })

  it('rename the organisation, and show who did what', async () => {
    const name = `labs-${tenant.id.slice(-8)}`
    const renamed = await svc(['org', 'rename', name])
    expect(renamed.stdout, renamed.stderr).to.equal(`The organisation is now called ${name}.\n`)
    expect((await profile()).tenant.name).to.equal(name)
    const shown = await svc(['org', 'show'])
    expect(shown.stdout)
      .to.match(new RegExp(`^name +${name}$`, 'm'))
      .and.match(/^your role +owner$/m)
    const refused = await svc(['org', 'rename', 'No Name'])
    expect(refused.stderr).to.contain('must have 3 to 63 lower-case letters')
    const [audit, none] = await Promise.all([svc(['audit', '--limit', '1']), svc(['audit', '--since', '2999-01-01'])])
    expect(audit.stdout)
      .to.match(/rimary key ks_…\w{4}.* renamed the organisation +org\.updated +ten_/)
      .and.contain('--limit shows more')
    expect(none.stdout).to.equal('no actions in this time\n')
  })

  it('list the browsers that are signed in, and end them', async () => {
    const signIn = async (agent: string) =>
      await api.call('POST', '/v1/signin', { body: { api_key: tenant.key }, headers: { 'user-agent': agent } })
    const cookie = (await signIn('Browser One')).headers.get('set-cookie')?.split(';')[0] ?? ''
    await signIn('Browser Two')
    const listed = await svc(['sessions', 'list'])
    expect(listed.stdout)
      .to.match(/^ses_\w+ +key .*Browser One$/m)
      .and.contain('Browser Two')
    const ids = [...listed.stdout.matchAll(/^(ses_\w+)/gm)].map(([, id]) => id ?? '')
    // `svc login` leaves none behind.
    expect(ids).to.have.length(2)
    // One that is not there keeps none of the others.
    const unknown = 'ses_00000000000000000000000000'
    const ended = await svc(['sessions', 'end', unknown, ...ids])
    expect(ended.code, ended.stderr).to.equal(1)
    expect(ended.stderr).to.contain('not_found')
    expect(ended.stdout).to.equal(ids.map((id) => `${id} has ended\n`).join(''))
    expect((await api.call('GET', '/v1/account', { headers: { cookie } })).status).to.equal(401)
    expect((await svc(['sessions', 'list'])).stdout).to.equal('no browser is signed in\n')
  })
})
