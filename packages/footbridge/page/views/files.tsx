/** The files of a skill. */
import type { PageFile } from '../../src/serve/http/page/shapes.js';
import { loadFiles } from '../catalog.js';
import { useLoaded } from '../parts/loaded.js';
import { Loading, ProblemNote } from '../parts/notices.js';
import { sizeOf } from '../parts/size.js';
import { hashOfItem } from '../route.js';

export function FilesTab({ uri, version }: { readonly uri: string; readonly version: number }) {
  const loaded = useLoaded(uri, version, loadFiles);
  if (loaded.status === 'loading') return <Loading what="the files" />;
  if (loaded.status === 'failed') return <ProblemNote problem={loaded.problem} />;
  const files = loaded.value.files.filter(({ kind }) => kind === 'file');
  return (
    <>
      <p class="note">
        {files.length === 1 ? 'SKILL.md is the only file.' : `${files.length} files. Hosts read a file when the instructions refer to it.`}
      </p>
      <div class="scroll">
        <table class="files">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Type</th>
              <th scope="col" class="align-right">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <tr key={file.path}>
                <th scope="row">
                  <a href={hashOfItem(uri, 'content', file.path === 'SKILL.md' ? undefined : file.path)}>
                    <FileName file={file} />
                  </a>
                </th>
                <td>{file.mimeType ?? ''}</td>
                <td class="align-right">{file.size === undefined ? '' : sizeOf(file.size)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {loaded.value.more && <p class="note">Only the first {loaded.value.files.length} files are listed.</p>}
    </>
  );
}

function FileName({ file: { path } }: { readonly file: PageFile }) {
  const cut = path.lastIndexOf('/') + 1;
  return (
    <>
      {path
        .slice(0, cut)
        .split(/(?<=\/)/)
        .map((folder, at) => (
          <span key={at} class="folder">
            {folder}
            <wbr />
          </span>
        ))}
      {path.slice(cut)}
    </>
  );
}
