# Untested: see README.md beside it.
class Askance < Formula
  include Language::Python::Virtualenv

  desc "Answers questions about your own mail, documents and calendars"
  homepage "https://example.org/askance"
  url "https://example.org/askance/askance-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "python@3.13"

  # `brew update-python-resources askance` writes the resources here.

  def install
    ENV["CMAKE_ARGS"] = OS.mac? && Hardware::CPU.arm? ? "-DGGML_METAL=on" : "-DGGML_NATIVE=off"
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"askance", "completions")
    system libexec/"bin/python", "packaging/man.py", "askance.1"
    man1.install "askance.1"
  end

  test do
    (testpath/"note.txt").write "The lease of the boathouse ends in May."
    assert_match "boathouse", shell_output("#{bin}/askance search lease #{testpath}")
  end
end
