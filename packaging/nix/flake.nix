# Untested: see README.md beside it.
{
  description = "Answers questions about your own mail, documents and calendars";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" ];
      each = nixpkgs.lib.genAttrs systems;
      project = (builtins.fromTOML (builtins.readFile ../../pyproject.toml)).project;
    in {
      packages = each (system:
        let python = nixpkgs.legacyPackages.${system}.python3Packages;
        in {
          default = python.buildPythonApplication {
            pname = project.name;
            version = project.version;
            pyproject = true;
            src = ../..;
            build-system = [ python.hatchling ];
            dependencies = with python; [
              charset-normalizer click httpx2 huggingface-hub icalendar jinja2 keyring
              llama-cpp-python lxml msgspec numpy olefile pip psutil pypdf pypdfium2 python-calamine
              pystemmer pyzipper recurring-ical-events selectolax sentencex textual
              textual-plotext tzdata tzlocal watchdog
            ];
            postInstall = ''
              python packaging/man.py askance.1
              install -Dm644 askance.1 -t $out/share/man/man1
              install -Dm644 packaging/desktop/*.desktop -t $out/share/applications
            '';
            doCheck = false;
            meta.mainProgram = "askance";
          };
        });
    };
}
