/** All that resources read from: the login, its registry, its catalog, and AWS. */
import { Aws, type Session } from './aws/aws.js';
import type { CredentialChoice } from './aws/credentials.js';
import { currentLogin, type Login } from './login/login.js';
import { CatalogConfigs } from './registry/catalog-config.js';
import { LIMIT_MS } from './registry/fetch-json.js';
import { Registry } from './registry/registry.js';
import type { Secrets } from './secrets.js';

export interface CatalogOptions {
  /** The address of the catalog, where neither the environment nor `quilt3` is to say it. */
  readonly catalog: string | undefined;
  readonly credentials: CredentialChoice;
  readonly environment: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
}

export class Catalog {
  readonly configs = new CatalogConfigs();
  readonly registry = new Registry(this.configs);
  readonly #aws: Aws;
  readonly #options: CatalogOptions;

  constructor(options: CatalogOptions) {
    this.#options = options;
    const { credentials: choice, environment, secrets } = options;
    this.#aws = new Aws({ choice, configs: this.configs, environment, registry: this.registry, secrets });
  }

  login(): Promise<Login> {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const registryOf = (catalogUrl: string) =>
      this.configs.of(catalogUrl, limit).then(
        ({ registryUrl }) => registryUrl,
        () => undefined,
      );
    return currentLogin({ ...this.#options, registryOf });
  }

  session(login: Login, signal: AbortSignal): Promise<Session> {
    return this.#aws.session(login, signal);
  }

  close(): void {
    this.#aws.close();
  }
}
