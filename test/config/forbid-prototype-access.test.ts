import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

describe('a process without __proto__', () => {
  it('lets no path of names reach what all objects have in common', () => {
    const module = new URL('../../config/forbid-prototype-access.ts', import.meta.url).href
    const script = `
      import { forbidPrototypeAccess } from '${module}'
      forbidPrototypeAccess()
      const names = ['__proto__', 'polluted']
      try { names.reduce((value, name, i) => (i === 0 ? value[name] : (value[name] = 'yes')), {}) } catch {}
      Object.assign({}, JSON.parse('{"__proto__": {"polluted": "yes"}}'))
      console.log(String({}.polluted), Object.getPrototypeOf({ __proto__: null }))`
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(told.toString().trim()).to.equal('undefined null')
  })
})
