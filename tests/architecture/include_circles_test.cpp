// No file includes itself by way of others, and no folder another that includes it: what is below can be read, and
// changed, without what is above.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/sources.hpp"

namespace attncert {
namespace {

using Graph = std::map<std::string, std::set<std::string>>;  // who includes whom

void visit(const std::string& at, const Graph& graph, std::vector<std::string>& path, std::set<std::string>& done,
           std::vector<std::string>& circles) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != at) continue;
    std::string circle;
    for (; i < path.size(); ++i) circle += path[i] + " -> ";
    circles.push_back(circle + at);
  }
  if (!done.insert(at).second) return;
  path.push_back(at);
  if (const auto found = graph.find(at); found != graph.end())
    for (const std::string& next : found->second) visit(next, graph, path, done, circles);
  path.pop_back();
}

// One circle or more where there are any, not all of them: "a -> b -> a".
std::vector<std::string> circles(const Graph& graph) {
  std::vector<std::string> found, path;
  std::set<std::string> done;
  for (const auto& [start, included] : graph) visit(start, graph, path, done, found);
  return found;
}

Graph files() {
  Graph graph;
  for (const SourceFile& file : files_ending_in(ATTNCERT_SOURCE_DIR, {".cpp", ".hpp", ".h", ".c", ".cu", ".cl"}))
    for (const Include& include : includes(file))
      if (include.quoted)
        graph[file.path].insert((include.target.starts_with("attncert/") ? "include/" : "") + include.target);
  return graph;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

Graph folders(const Graph& graph) {
  Graph result;
  for (const auto& [file, included] : graph)
    for (const std::string& other : included)
      if (folder_of(file) != folder_of(other)) result[folder_of(file)].insert(folder_of(other));
  return result;
}

TEST(IncludeCircles, NoneBetweenFiles) {
  const Graph graph = files();
  EXPECT_GT(graph.size(), 500u);
  for (const std::string& circle : circles(graph)) ADD_FAILURE() << circle;
}

TEST(IncludeCircles, NoneBetweenFolders) {
  for (const std::string& circle : circles(folders(files()))) ADD_FAILURE() << circle;
}

TEST(IncludeCircles, TheJudgeFindsThem) {
  using Found = std::vector<std::string>;
  EXPECT_EQ(circles({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {"d"}}}), Found{});
  EXPECT_EQ(circles({{"a", {"a"}}}), Found{"a -> a"});
  EXPECT_EQ(circles({{"a", {"b"}}, {"b", {"c"}}, {"c", {"d", "b"}}}), Found{"b -> c -> b"});
  const Graph across = folders({{"x/1", {"y/1"}}, {"y/2", {"x/2"}}, {"z/a/1", {"z/2"}}});
  EXPECT_EQ(circles(across), Found{"x/ -> y/ -> x/"});
}

}  // namespace
}  // namespace attncert
