// The folder of a survey: tables that only grow, by whole windows in their order, and a journal of how long each was
// after every window. An interrupted run goes on from the last whole window: what stands behind it is cut off.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::cli {

struct TableFile {
  std::string name, header;  // "heads", its header line
};

// What can be said of the folder before anything is read or measured.
Result<Done> check_folder(const std::filesystem::path& folder, bool resume, bool force);

class TableFolder {
 public:
  // `plan`: one line that decides what the tables hold; a journal to be resumed begins with it.
  static Result<TableFolder> open(const std::filesystem::path& folder, std::vector<TableFile> tables,
                                  const std::string& plan, bool resume, bool force);

  const std::filesystem::path& folder() const { return folder_; }
  std::size_t windows() const { return windows_; }  // whole ones that it holds

  // The lines of the next window, by table.
  Result<Done> append(const std::vector<std::string>& lines);

 private:
  TableFolder(std::filesystem::path folder, std::vector<TableFile> tables)
      : folder_(std::move(folder)), tables_(std::move(tables)), sizes_(tables_.size()) {}
  Result<Done> start(const std::string& plan);
  Result<Done> resume(const std::string& plan);
  std::filesystem::path file(std::size_t table) const { return folder_ / (tables_[table].name + ".csv"); }
  std::filesystem::path journal() const;

  std::filesystem::path folder_;
  std::vector<TableFile> tables_;
  std::vector<std::uintmax_t> sizes_;
  std::size_t windows_ = 0;
};

}  // namespace attncert::cli
